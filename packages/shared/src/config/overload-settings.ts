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
  HOOK_BYTES_PER_SECOND: defineSetting(
    wholeNumber(0, 1_073_741_824),
    1_048_576,
    'Bytes of hook bodies per second of one integration over all pods, whatever its rate of hooks. 0: no limit.',
  ),
  HOOK_BURST_BYTES: defineSetting(
    wholeNumber(0, 1_099_511_627_776),
    16_777_216,
    'Burst: bytes of hook bodies that one integration may send at once before HOOK_BYTES_PER_SECOND applies, over all pods. At least BODY_LIMIT_BYTES counts. 0: no limit.',
  ),
  HOOK_BACKLOG_SHARE_PERCENT: defineSetting(
    wholeNumber(1, 100),
    50,
    'Share of the backlog that one integration may use, in percent of HOOK_BACKLOG_MAX, and of the memory that waiting hooks may use. Above it, its hooks get 503; those of others are accepted. 100: no limit.',
  ),
} as const;
