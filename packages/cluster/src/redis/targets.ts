import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { RedisOptions } from 'ioredis';
import { type Address, createOwnerConnector, createReplicaConnector, SlotOwnerFinder } from './cluster-connector.ts';
import { redisKeys } from './keys.ts';
import { SteadySentinelConnector } from './steady-sentinel-connector.ts';

export type RedisSetting = 'REDIS_URL' | 'EVENTS_REDIS_URL';

export type OnWarning = (message: string, details?: object) => void;

export interface RedisTarget {
  readonly url: string;
  /** For a URL with `rediss:`, each text in PEM. Left out: Node's own authorities, and no client certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** With Sentinels, the host of `url` is a name. Null or left out: `url` leads to Redis itself. */
  readonly sentinels?: Sentinels | null;
  /** With a Redis Cluster, the host and port of `url` are not used. Null or left out: it is none. */
  readonly clusterConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** With a Redis Cluster: leads to a replica of the node to which `clusterConnector` leads. */
  readonly replicaConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** The setting that names this Redis, for messages. */
  readonly setting: RedisSetting;
  readonly onWarning: OnWarning;
}

interface Sentinels {
  readonly addresses: readonly Address[];
  /** By which they know this Redis. */
  readonly name: string;
  /** For the Sentinels themselves. Null: they demand none. */
  readonly username: string | null;
  readonly password: string | null;
  readonly hasTls: boolean;
}

/**
 * Returns the Redis of the queue and of the rate limits, and that of the event log and the control log: one object if
 * both are one Redis.
 */
export function findTargets(settings: Settings, onWarning: OnWarning): { queue: RedisTarget; events: RedisTarget } {
  const { REDIS_URL, EVENTS_REDIS_URL, REDIS_CLUSTER_NODES, EVENTS_REDIS_CLUSTER_NODES } = settings;
  // `parseSettings` has made sure that a cluster has it.
  const queue = [REDIS_URL ?? '', REDIS_CLUSTER_NODES] as const;
  const events = [EVENTS_REDIS_URL ?? '', EVENTS_REDIS_CLUSTER_NODES] as const;
  const target = toTarget(settings, 'REDIS_URL', ...queue, onWarning);
  if (EVENTS_REDIS_URL === null || isDeepStrictEqual(queue, events)) return { queue: target, events: target };
  return { queue: target, events: toTarget(settings, 'EVENTS_REDIS_URL', ...events, onWarning) };
}

function toTarget(
  settings: Settings,
  setting: RedisSetting,
  url: string,
  nodes: readonly Address[] | null,
  onWarning: OnWarning,
): RedisTarget {
  const { REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY, REDIS_KEY_PREFIX } = settings;
  const finder = nodes === null ? null : new SlotOwnerFinder(nodes, redisKeys(REDIS_KEY_PREFIX).log);
  return {
    ...{ url, setting, onWarning },
    tls: {
      ...(REDIS_TLS_CA === null ? {} : { ca: REDIS_TLS_CA }),
      ...(REDIS_TLS_CERT === null ? {} : { cert: REDIS_TLS_CERT }),
      ...(REDIS_TLS_KEY === null ? {} : { key: REDIS_TLS_KEY }),
    },
    sentinels: nodes === null ? findSentinels(settings, url) : null,
    clusterConnector: finder === null ? null : createOwnerConnector(finder),
    replicaConnector: finder === null ? null : createReplicaConnector(finder),
  };
}

/** Null: the URL has a port, so it leads to Redis itself. Of `REDIS_URL`, `checkCombinations` does not accept that. */
function findSentinels(settings: Settings, url: string): Sentinels | null {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_USERNAME: username, REDIS_SENTINEL_PASSWORD: password } = settings;
  const { hostname: name, port } = new URL(url);
  if (addresses === null || port !== '') return null;
  // Whoever is on the way to a Sentinel could name another Redis.
  const hasTls = settings.REDIS_URL?.startsWith('rediss:') === true;
  return { addresses, name, username, password, hasTls };
}

/** The options by which a connection finds the primary, if the URL does not lead to it, and those of TLS. */
export function toTargetOptions(target: RedisTarget) {
  return { ...toSentinelOptions(target), ...toClusterOptions(target), ...toTlsOptions(target) };
}

/** For `rediss:`, ioredis uses TLS with these options. */
export function toTlsOptions({ url, tls = {} }: RedisTarget) {
  return url.startsWith('rediss:') ? { tls } : {};
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
export function toSentinelOptions({ url, tls = {}, sentinels = null }: RedisTarget) {
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
    ...(hasTls ? { sentinelTLS: tls } : {}),
    // Without it, ioredis would ignore that the URL of Redis says `rediss:`.
    enableTLSForSentinelMode: url.startsWith('rediss:'),
  };
}
