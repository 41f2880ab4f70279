import type { RedisOptions } from 'ioredis';
import { SteadySentinelConnector } from './steady-sentinel-connector.ts';
import type { RedisTarget, RedisTlsOptions } from './targets.ts';

/** The options by which a connection finds the primary, if the URL does not lead to it, and those of TLS. */
export function toTargetOptions(target: RedisTarget) {
  return { ...toSentinelOptions(target), ...toClusterOptions(target), ...toTlsOptions(target) };
}

/** For `rediss:`, ioredis uses TLS with these options. */
export function toTlsOptions({ url, tls }: RedisTarget) {
  return url.startsWith('rediss:') ? { tls: toNodeTls(tls) } : {};
}

function toNodeTls({ ca = null, cert = null, key = null }: Partial<RedisTlsOptions> = {}) {
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  };
}

function toClusterOptions({ clusterConnector = null }: RedisTarget) {
  if (clusterConnector === null) return {};
  return { Connector: clusterConnector, reconnectOnError: ({ message }: Error) => hasMoved.test(message) };
}

/** A former owner of the slot, or its replica, says this: only a new connection leads to the owner. */
const hasMoved = /^(?:MOVED|READONLY)/;

/**
 * The options by which a connection asks the Sentinels where its primary is, at each attempt to connect. It also leaves
 * a primary as soon as they report another one: the old one says for seconds that it is still the primary, and what it
 * accepts then is lost.
 */
export function toSentinelOptions({ url, tls, sentinels = null }: RedisTarget) {
  if (sentinels === null) return {};
  const { addresses, name, username, password, hasTls } = sentinels;
  return {
    Connector: SteadySentinelConnector as unknown as NonNullable<RedisOptions['Connector']>,
    sentinels: [...addresses],
    name,
    failoverDetector: true,
    sentinelCommandTimeout: 1500,
    ...(username === null ? {} : { sentinelUsername: username }),
    ...(password === null ? {} : { sentinelPassword: password }),
    ...(hasTls ? { sentinelTLS: toNodeTls(tls) } : {}),
    // Without it, ioredis would ignore that the URL of Redis says `rediss:`.
    enableTLSForSentinelMode: url.startsWith('rediss:'),
  };
}
