import { defineSetting } from './define-setting.ts';
import { wholeNumber } from './value-schemas.ts';

/** The part of `settingsTable` that bounds what one client or one integration can take from all others. */
export const overloadSettings = {
  CONNECTIONS_PER_ADDRESS: defineSetting(
    wholeNumber(0, 1_000_000),
    1_000,
    'Open connections of one client address on each pod, streams included. An IPv6 /64 network counts as one address. Trusted proxies have no such limit; nor do peers on private networks while TRUSTED_PROXIES is not set. 0: no limit.',
  ),
  CONNECTIONS_PER_POD: defineSetting(
    wholeNumber(1, 2_000_000).nullable(),
    null,
    'Open connections on each pod, streams included. The default is 10 000 more than STREAMS_PER_POD.',
  ),
} as const;
