import type { Settings } from '@widget-service/shared/config/settings.ts';
import { splitHosts } from '@widget-service/shared/runtime/host-name.ts';
import { type Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { type Address, createOwnerConnector, createReplicaConnector, SlotOwnerFinder } from './cluster-connector.ts';
import { surviveSocketErrors } from './connection-errors.ts';
import { redisKeys } from './keys.ts';

// How a failover of Redis is followed. Every connection, also each one of BullMQ, which copies the options of ours, is
// opened with `toTargetOptions` of one of two targets: the Redis of the queue, and that of the event log.
// - One host: it leads to Redis, or to a proxy that follows it. A connection that gets READONLY connects anew.
// - Sentinels: each attempt to connect asks them for the primary, and a connection leaves a primary as soon as they
//   name another one (`toSentinelOptions`, `SteadySentinelConnector`).
// - Redis Cluster: each attempt asks several nodes who owns the slot of our keys. As soon as one connection finds
//   another owner, the others are closed (`cluster-connector.ts`).

export type RedisSetting = 'REDIS_URL' | 'EVENTS_REDIS_URL';

export type OnWarning = (message: string, details?: object) => void;

export interface RedisTarget {
  readonly url: string;
  /** For a URL with `rediss:`, each text in PEM. Left out: Node's own authorities, and no client certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** With Sentinels, the host of `url` is a name. Null or left out: `url` leads to Redis itself. */
  readonly sentinels?: Sentinels | null;
  /** With a Redis Cluster, `url` names any node, and its host and port are not used. Null or left out: it is none. */
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
  /** For the Sentinels themselves. Empty: they demand none. */
  readonly username: string;
  readonly password: string;
  readonly hasTls: boolean;
}

/**
 * Returns the Redis of the queue and of the rate limits, and that of the event log and the control log: one object if
 * both are one Redis.
 */
export function findTargets(settings: Settings, onWarning: OnWarning): { queue: RedisTarget; events: RedisTarget } {
  const { REDIS_URL, EVENTS_REDIS_URL } = settings;
  // `parseSettings` has made sure that a cluster has it.
  const queue = toTarget(settings, 'REDIS_URL', REDIS_URL ?? '', onWarning);
  if (EVENTS_REDIS_URL === null || EVENTS_REDIS_URL === REDIS_URL) return { queue, events: queue };
  return { queue, events: toTarget(settings, 'EVENTS_REDIS_URL', EVENTS_REDIS_URL, onWarning) };
}

function toTarget(settings: Settings, setting: RedisSetting, given: string, onWarning: OnWarning): RedisTarget {
  const { REDIS_TLS_CA: ca, REDIS_TLS_CERT: cert, REDIS_KEY_PREFIX } = settings;
  const [url = '', ...others] = splitHosts(given);
  const finder =
    others.length === 0 ? null : new SlotOwnerFinder(toAddresses(given, 6_379), redisKeys(REDIS_KEY_PREFIX).log);
  return {
    ...{ url, setting, onWarning },
    // The text of the certificate holds its key.
    tls: { ...(ca === null ? {} : { ca }), ...(cert === null ? {} : { cert, key: cert }) },
    sentinels: finder === null ? findSentinels(settings, url) : null,
    clusterConnector: finder === null ? null : createOwnerConnector(finder),
    replicaConnector: finder === null ? null : createReplicaConnector(finder),
  };
}

/** Null: the URL has a port, so it leads to Redis itself. Of `REDIS_URL`, `checkCombinations` does not accept that. */
function findSentinels({ REDIS_SENTINELS }: Settings, url: string): Sentinels | null {
  const { hostname: name, port } = new URL(url);
  if (REDIS_SENTINELS === null || port !== '') return null;
  const { username, password, protocol } = new URL(splitHosts(REDIS_SENTINELS)[0] ?? '');
  return {
    name,
    addresses: toAddresses(REDIS_SENTINELS, 26_379),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    hasTls: protocol === 'rediss:',
  };
}

function toAddresses(url: string, usualPort: number): Address[] {
  return splitHosts(url).map((one) => {
    const { hostname, port } = new URL(one);
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usualPort) };
  });
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
    ...(username === '' ? {} : { sentinelUsername: username }),
    ...(password === '' ? {} : { sentinelPassword: password }),
    ...(hasTls ? { sentinelTLS: tls } : {}),
    // Without it, ioredis would ignore that the URL of Redis says `rediss:`.
    enableTLSForSentinelMode: url.startsWith('rediss:'),
  };
}

type Connect = SentinelConnector['connect'];

/** The types of ioredis hide it. */
interface Hidden {
  failoverDetector: { cleanup(): void } | null;
  connectToSentinel(...args: unknown[]): Redis;
}

/** As ioredis says it of a Sentinel that refuses our certificate. */
const closedText = 'Connection is closed.';

/**
 * Finds the primary by the Sentinels, as ioredis does, but survives a failover at any moment.
 *
 * ioredis (6.0.0) listens to the Sentinels with the connection that it had before, until the next one is open. If they
 * name another primary while it asks them for one, it cancels its own question, and its connection ends for good.
 * Whoever asks learns of the new primary anyway, so this class stops to listen before it asks.
 *
 * It also says why a Sentinel closed the connection, where ioredis says only that it is closed.
 */
class SteadySentinelConnector extends SentinelConnector {
  #lastReason = closedText;

  constructor(options: ConstructorParameters<typeof SentinelConnector>[0]) {
    super(options);
    const hidden = this as unknown as Hidden;
    const connectToSentinel = hidden.connectToSentinel.bind(this);
    hidden.connectToSentinel = (...args) => {
      const sentinel = connectToSentinel(...args);
      surviveSocketErrors(sentinel);
      return sentinel.on('error', ({ message }: Error) => {
        this.#lastReason = message;
      });
    };
  }

  override connect(report: Parameters<Connect>[0]): ReturnType<Connect> {
    (this as unknown as Hidden).failoverDetector?.cleanup();
    this.#lastReason = closedText;
    return super.connect((type, error) => report(type, this.#explain(error)));
  }

  #explain(error: Error): Error {
    return error.message.includes(closedText) ? new Error(error.message.replace(closedText, this.#lastReason)) : error;
  }
}
