import type { Settings } from '@widget-service/shared/config/settings.ts';
import { splitHosts } from '@widget-service/shared/runtime/host-name.ts';
import { type Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { type Address, SlotOwnerFinder, toConnectors } from './cluster-connector.ts';
import { surviveSocketErrors } from './connection-errors.ts';
import { findRedisKeys } from './keys.ts';

// How connections follow a failover of Redis. There are two targets: the Redis of the queue, and the Redis of the event
// log. Every connection is opened with `toTargetOptions` of one of them, also those of BullMQ, which copies our
// options.
// - One host: Redis, or a proxy that leads to the primary. A connection that gets READONLY reconnects
//   (`connections.ts`).
// - Sentinels: each attempt to connect asks them for the primary, and a connection leaves a primary as soon as they
//   name another one (`toSentinelOptions`, `SteadySentinelConnector`).
// - Redis Cluster: each attempt asks several nodes who owns the slot of our keys. As soon as one connection finds
//   another owner, the others are closed (`cluster-connector.ts`).

export type RedisSetting = 'REDIS_URL' | 'EVENTS_REDIS_URL';

export type OnWarning = (message: string, details?: object) => void;

export interface RedisTarget {
  readonly url: string;
  /** For a URL with `rediss:`, each text in PEM. Default: Node's own authorities, and no client certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** With Sentinels, the host of `url` is a name. Null, the default: `url` leads to Redis itself. */
  readonly sentinels?: Sentinels | null;
  /** Set for a Redis Cluster: the host and port of `url` are not used then. Null, the default: no cluster. */
  readonly clusterConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** With a Redis Cluster: leads to a replica of the node to which `clusterConnector` leads. */
  readonly replicaConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** The setting that names this Redis, for messages. */
  readonly setting: RedisSetting;
  readonly onWarning: OnWarning;
}

interface Sentinels {
  readonly addresses: readonly Address[];
  /** The name by which the Sentinels know this Redis. */
  readonly name: string;
  /** The user of the Sentinels themselves. Empty: none. */
  readonly username: string;
  readonly password: string;
  readonly hasTls: boolean;
}

/**
 * Returns the Redis of the hook queue and the rate limits, and the Redis of the event log and the control log. Both are
 * the same object if there is only one Redis.
 */
export function findTargets(settings: Settings, onWarning: OnWarning): { queue: RedisTarget; events: RedisTarget } {
  const { REDIS_URL, EVENTS_REDIS_URL } = settings;
  // `parseSettings` ensures that a cluster has REDIS_URL.
  const queue = toTarget(settings, 'REDIS_URL', REDIS_URL ?? '', onWarning);
  if (EVENTS_REDIS_URL === null || EVENTS_REDIS_URL === REDIS_URL) return { queue, events: queue };
  return { queue, events: toTarget(settings, 'EVENTS_REDIS_URL', EVENTS_REDIS_URL, onWarning) };
}

function toTarget(settings: Settings, setting: RedisSetting, given: string, onWarning: OnWarning): RedisTarget {
  const { REDIS_TLS_CA: ca, REDIS_TLS_CERT: cert } = settings;
  const [url = '', ...others] = splitHosts(given);
  const finder =
    others.length === 0 ? null : new SlotOwnerFinder(toAddresses(given, 6_379), findRedisKeys(settings).log);
  return {
    ...{ url, setting, onWarning },
    // The text of the certificate holds its key.
    tls: { ...(ca === null ? {} : { ca }), ...(cert === null ? {} : { cert, key: cert }) },
    sentinels: finder === null ? findSentinels(settings, url) : null,
    ...(finder === null ? {} : toConnectors(finder)),
  };
}

/** Null: the URL has a port, so it leads to Redis itself. (`checkCombinations` rejects such a `REDIS_URL`.) */
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

/** The options of ioredis to find the primary by Sentinels or a Redis Cluster, and the TLS options. */
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

/** The reply of a node that no longer owns the slot, or of a replica: only a new connection leads to the owner. */
const hasMoved = /^(?:MOVED|READONLY)/;

/**
 * The options by which a connection asks the Sentinels for the primary at each attempt to connect. It also leaves a
 * primary as soon as the Sentinels report another one: for some seconds the old primary still accepts writes, which are
 * then lost.
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

/** Members that the types of ioredis hide. */
interface Hidden {
  failoverDetector: { cleanup(): void } | null;
  connectToSentinel(...args: unknown[]): Redis;
}

/** The message of ioredis when a Sentinel has refused our certificate. */
const closedText = 'Connection is closed.';

/**
 * Finds the primary by the Sentinels, as ioredis does, but survives a failover at any moment.
 *
 * While ioredis (6.0.0) asks the Sentinels for the primary, it still listens to them on an earlier connection. If they
 * announce another primary at that moment, ioredis cancels its own question, and the connection ends for good. The
 * question itself returns the new primary, so this class stops listening before it asks.
 *
 * It also reports why a Sentinel closed the connection; ioredis reports only that it is closed.
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
