import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { Redis, type RedisOptions } from 'ioredis';
import { describeConnectionError } from '../tls-error.ts';
import { createOwnerConnector, createReplicaConnector } from './cluster-connector.ts';
import { ignoreErrors, surviveSocketErrors } from './connection-errors.ts';
import { redisKeys } from './keys.ts';
import { isForbidden, parseInfoField } from './redis-info.ts';
import { type Address, SlotOwnerFinder } from './slot-owner.ts';
import { SteadySentinelConnector } from './steady-sentinel-connector.ts';

export type RedisSetting = 'REDIS_URL' | 'EVENTS_REDIS_URL';

export type OnWarning = (message: string, details?: object) => void;

/** For a URL with `rediss:`. Each text is in PEM; null: Node's own authorities, or no client certificate. */
export interface RedisTlsOptions {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface RedisTarget {
  readonly url: string;
  /** Left out: like three nulls. */
  readonly tls?: RedisTlsOptions;
  /** With Sentinels, the host and port of `url` are not used. Null or left out: `url` leads to Redis itself. */
  readonly sentinels?: TargetSentinels | null;
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
  /** For the Sentinels themselves. Null: they demand none. */
  readonly username: string | null;
  readonly password: string | null;
  readonly hasTls: boolean;
}

/** The Sentinels, and the name by which they know this Redis. */
interface TargetSentinels extends Sentinels {
  readonly name: string;
}

/** The Sentinels, and the names by which they know the Redis of the queue and that of the event log. */
export interface SentinelOptions extends Sentinels {
  readonly queueName: string;
  /** Null: they do not know it. */
  readonly eventsName: string | null;
}

/** Nodes of the Redis Cluster that holds the queue, and of the one that holds the event log. Null: it is no cluster. */
export interface ClusterNodeOptions {
  readonly queue: readonly Address[] | null;
  readonly events: readonly Address[] | null;
}

interface TargetOptions {
  readonly redisUrl: string;
  readonly eventsRedisUrl?: string | null;
  readonly redisTls?: RedisTlsOptions;
  readonly sentinels?: SentinelOptions | null;
  readonly clusterNodes?: ClusterNodeOptions;
  readonly redisKeyPrefix: string;
}

/** `events` is `queue` if both have one Redis. */
export interface RedisTargets {
  /** The Redis of the queue and of the rate limits. */
  readonly queue: RedisTarget;
  /** The Redis of the event log and the control log. */
  readonly events: RedisTarget;
}

export function findTargets(options: TargetOptions, onWarning: OnWarning): RedisTargets {
  const { redisUrl, eventsRedisUrl = null, redisTls, sentinels = null, clusterNodes, redisKeyPrefix } = options;
  const keyInSlot = redisKeys(redisKeyPrefix).log;
  const build = (setting: RedisSetting, url: string, name: string | null, nodes: readonly Address[] | null) => {
    const finder = nodes === null ? null : new SlotOwnerFinder(nodes, keyInSlot);
    return {
      ...{ url, setting, onWarning },
      ...(redisTls === undefined ? {} : { tls: redisTls }),
      sentinels: sentinels === null || name === null ? null : { ...sentinels, name },
      clusterConnector: finder === null ? null : createOwnerConnector(finder),
      replicaConnector: finder === null ? null : createReplicaConnector(finder),
    };
  };
  const { queueName = null, eventsName = null } = sentinels ?? {};
  const { queue: queueNodes = null, events: eventsNodes = null } = clusterNodes ?? {};
  const queue = build('REDIS_URL', redisUrl, queueName, queueNodes);
  const isOne = isDeepStrictEqual([redisUrl, queueName, queueNodes], [eventsRedisUrl, eventsName, eventsNodes]);
  if (eventsRedisUrl === null || isOne) return { queue, events: queue };
  return { queue, events: build('EVENTS_REDIS_URL', eventsRedisUrl, eventsName, eventsNodes) };
}

/** The options that every connection shares. */
const commonOptions = {
  // RESP2 replies have the same shapes on every server, and RESP2 needs no extra handshake.
  protocol: 2,
  // Redis before 7.2 does not know CLIENT SETINFO, so the user of deploy/redis/users.acl may not use it.
  disableClientInfo: true,
  connectTimeout: 2000,
  // TCP keep-alive: a firewall must not drop an idle connection unnoticed.
  keepAlive: 10_000,
  // Short at first, so that the connection is back soon after a brief outage. Jittered, so that processes do not all
  // reconnect at once.
  retryStrategy: (times) => backoffMs(times, { firstMs: 100, maxMs: 1000 }),
  // After a failover the old primary answers READONLY: only a new connection leads to the new primary.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/** For requests: a command fails at once while Redis is unavailable, and the connection reconnects by itself. */
const failFastOptions = {
  ...commonOptions,
  // Without a queue, Redis never runs a command later whose caller has already got an error.
  enableOfflineQueue: false,
  // ioredis sends a command that was in flight once more after a quick reconnect; otherwise the command fails.
  maxRetriesPerRequest: 1,
  // A frozen Redis keeps its connections open and does not answer. Must be below the 2 s in which callers are promised
  // a result.
  commandTimeout: 1500,
  // Closes a connection that owes a reply and has been silent for this long; ioredis then opens a new one.
  socketTimeout: 5000,
} satisfies RedisOptions;

/**
 * For one reader that blocks until new entries arrive. The connection does not reconnect. The reader opens a new one
 * for its next call, so it never receives the reply to an earlier call.
 */
export const blockingReadOptions = {
  ...commonOptions,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} satisfies RedisOptions;

/** For BullMQ's workers: they wait for Redis without limit, and continue after an outage. */
const workerOptions = {
  ...commonOptions,
  // BullMQ requires null for connections that block.
  maxRetriesPerRequest: null,
  // Far above the 2 s of a blocking read, and above a short freeze. After this time-out ioredis sends its commands
  // again, and a repeated fetch leaves behind an active job that returns only when its lock expires.
  socketTimeout: 12_000,
} satisfies RedisOptions;

/** The options by which a connection finds the primary, if the URL does not lead to it, and those of TLS. */
function toLocatingOptions(target: RedisTarget) {
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

export function openFailFastConnection(target: RedisTarget, name: string): Redis {
  return reportOutages(
    new Redis(target.url, { ...failFastOptions, ...toLocatingOptions(target), connectionName: name }),
    name,
    target,
  );
}

/** A connection that only subscribes. It reconnects by itself; whoever opened it subscribes again when it is ready. */
export function openSubscriberConnection(target: RedisTarget, name: string): Redis {
  const options = { ...failFastOptions, ...toLocatingOptions(target), autoResubscribe: false };
  const redis = new Redis(target.url, { ...options, connectionName: name });
  // The connections for short calls report the same outage.
  ignoreErrors(redis);
  return redis;
}

/** Does not report errors: the call that meets one rejects. */
export function openBlockingReadConnection(target: RedisTarget, name: string): Redis {
  const redis = new Redis(target.url, { ...blockingReadOptions, ...toLocatingOptions(target), connectionName: name });
  ignoreErrors(redis);
  return redis;
}

/**
 * A connection for BullMQ's workers. BullMQ duplicates it for each worker. While Redis is unavailable, BullMQ waits
 * without limit before it closes these copies. So this class records them: `disconnectAll` closes them in any state.
 */
export class WorkerRedis extends Redis {
  readonly #copies: Redis[] = [];

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    // The original reports the same outage.
    ignoreErrors(copy);
    this.#copies.push(copy);
    return copy;
  }

  disconnectAll(): void {
    for (const redis of [...this.#copies, this]) {
      if (redis.status !== 'end') redis.disconnect();
    }
  }
}

export function openWorkerConnection(target: RedisTarget, name: string): WorkerRedis {
  const redis = new WorkerRedis(target.url, { ...workerOptions, ...toLocatingOptions(target), connectionName: name });
  reportOutages(redis, name, target);
  return redis;
}

/** Redis answers, and does not accept what the URL says. Retrying does not help. */
export class RedisRefusalError extends ExitError {
  constructor(setting: RedisSetting, reason: string) {
    super(exitCodes.configuration, `${setting}: Redis does not accept it (${reason}); correct the URL or Redis`);
  }
}

/** A wrong password or user, or a database that this Redis does not have. None of these answers quotes the URL. */
const refusal =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:DB index|invalid DB index|SELECT is not allowed|AUTH|This instance has cluster support))/;

/**
 * Resolves when the connection is ready, when its first attempt has failed, or after `withinMs`. A start waits for
 * this, so that the first requests do not fail on a connection that is about to be ready. Rejects with
 * `RedisRefusalError`.
 */
export async function waitForFirstContact(
  redis: Redis,
  { setting }: Pick<RedisTarget, 'setting'>,
  withinMs: number,
): Promise<void> {
  if (redis.status === 'ready') return;
  const stop = new AbortController();
  let refused: string | null = null;
  const noteRefusal = ({ message }: Error) => {
    if (refusal.test(message)) refused ??= message;
  };
  redis.on('error', noteRefusal);
  await Promise.race([
    once(redis, 'ready', { signal: stop.signal }),
    once(redis, 'close', { signal: stop.signal }),
    delay(withinMs, undefined, { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
  redis.off('error', noteRefusal);
  if (refused !== null) throw new RedisRefusalError(setting, refused);
}

/**
 * Throws `RedisRefusalError` if Redis has no database of the URL's number, where ioredis would go on with database 0,
 * and if it is a node of a Redis Cluster that is not configured as one: it would answer until its first failover.
 * Throws other errors of ioredis unchanged.
 */
export async function verifyTarget(redis: Redis, { setting, clusterConnector = null }: RedisTarget): Promise<void> {
  if (clusterConnector === null && (await isClusterNode(redis))) {
    throw new RedisRefusalError(setting, `it is a node of a Redis Cluster; set ${clusterSettings[setting]}`);
  }
  const { db = 0 } = redis.options;
  if (db === 0) return;
  await redis.select(db).catch((error: Error) => {
    throw refusal.test(error.message) ? new RedisRefusalError(setting, error.message) : error;
  });
}

const clusterSettings = { REDIS_URL: 'REDIS_CLUSTER_NODES', EVENTS_REDIS_URL: 'EVENTS_REDIS_CLUSTER_NODES' } as const;

async function isClusterNode(redis: Redis): Promise<boolean> {
  try {
    return parseInfoField(await redis.info('cluster'), 'cluster_enabled') === '1';
  } catch (error) {
    // Then the start fails for another reason, or its operator has said that it may go on.
    if (isForbidden(error)) return false;
    throw error;
  }
}

/**
 * Warns once when the connection reports an error, and once when it is ready again. Without the listener, ioredis
 * writes every error to the console, past our log.
 */
function reportOutages(redis: Redis, name: string, { setting, onWarning }: RedisTarget): Redis {
  let isUnavailable = false;
  const reportOutage = (error?: Error) => {
    if (isUnavailable || redis.status === 'end') return;
    isUnavailable = true;
    onWarning(`redis is unavailable; reconnecting. If this lasts, check Redis, the network and ${setting}`, {
      connection: name,
      reason: error === undefined ? 'connection closed' : describeConnectionError(error),
    });
  };
  surviveSocketErrors(redis);
  redis.on('error', reportOutage);
  redis.on('ready', () => {
    if (isUnavailable) onWarning('redis is available again', { connection: name });
    isUnavailable = false;
  });
  return redis;
}
