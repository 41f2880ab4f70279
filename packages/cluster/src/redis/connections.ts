import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { backoffMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { Redis, type RedisOptions } from 'ioredis';
import { describeConnectionError, ignoreErrors, surviveSocketErrors } from './connection-errors.ts';
import { findRefusedSetting, haveSentinelsFailed } from './first-contact.ts';
import { translateRedisError } from './redis-call.ts';
import { type RedisTarget, toTargetOptions } from './redis-failover.ts';

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

/**
 * For requests: a command fails at once while Redis is unavailable, and the connection reconnects by itself.
 *
 * @internal Exported for its test.
 */
export const failFastOptions = {
  ...commonOptions,
  // No queue of commands: otherwise Redis could run a command after its caller got an error.
  enableOfflineQueue: false,
  // After a quick reconnect, ioredis sends a command that was in flight once more. Then it fails.
  maxRetriesPerRequest: 1,
  // A frozen Redis keeps its connections open and does not answer. Must be below the 2 s in which callers are promised
  // a result.
  commandTimeout: 1500,
  // Closes a connection that has not sent an expected reply for this long; ioredis then opens a new one.
  socketTimeout: 5000,
} satisfies RedisOptions;

/**
 * For one reader that blocks until new entries arrive. The connection does not reconnect: after a failure the reader
 * opens a new one, so it never receives the reply to an earlier call.
 */
export const blockingReadOptions = {
  ...commonOptions,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} satisfies RedisOptions;

/**
 * For BullMQ's workers: they wait for Redis without limit, and continue after an outage.
 *
 * @internal Exported for its test.
 */
export const workerOptions = {
  ...commonOptions,
  // BullMQ requires null for connections that block.
  maxRetriesPerRequest: null,
  // Far above the 2 s of a blocking read and above a short freeze. After this time-out ioredis repeats its commands,
  // and a repeated fetch starts a second job, while the first stays active until its lock expires.
  socketTimeout: 12_000,
} satisfies RedisOptions;

export function openFailFastConnection(target: RedisTarget, name: string): Redis {
  return reportOutages(
    new Redis(target.url, { ...failFastOptions, ...toTargetOptions(target), connectionName: name }),
    name,
    target,
  );
}

/** Does not log errors: the call that fails rejects. */
export function openBlockingReadConnection(target: RedisTarget, name: string): Redis {
  const redis = new Redis(target.url, { ...blockingReadOptions, ...toTargetOptions(target), connectionName: name });
  ignoreErrors(redis);
  return redis;
}

/**
 * The connection of one tail, opened when it is needed: a blocking read delays every other command on its connection.
 */
export class TailConnection {
  readonly #what: string;
  readonly #connect: () => Redis;
  readonly #deadlineMs: number;
  #redis: Redis | null = null;
  #isClosed = false;

  /** `what` names the tail in errors. `deadlineMs`: after how long a connection that does not answer is left. */
  constructor(what: string, connect: () => Redis, deadlineMs: number) {
    this.#what = what;
    this.#connect = connect;
    this.#deadlineMs = deadlineMs;
  }

  /** Throws `UnavailableError`. */
  async run<T>(read: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new UnavailableError(`${this.#what}: closed`);
    this.#redis ??= this.#connect();
    const redis = this.#redis;
    try {
      // Without this deadline, the call would never end while Redis is frozen.
      return await withDeadline(read(redis), this.#deadlineMs, this.#what);
    } catch (error) {
      // The read may still be pending on this connection, so the next call opens another one.
      redis.disconnect();
      if (this.#redis === redis) this.#redis = null;
      throw translateRedisError(error, this.#what);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis?.disconnect();
    this.#redis = null;
  }
}

/**
 * A connection for BullMQ's workers. BullMQ duplicates it for each worker. While Redis is unavailable, BullMQ waits
 * without limit before it closes these copies. So this class records them: `disconnectAll` closes them in any state.
 */
export class WorkerRedis extends Redis {
  readonly #copies: Redis[] = [];

  constructor(target: RedisTarget, name: string) {
    super(target.url, { ...workerOptions, ...toTargetOptions(target), connectionName: name });
    reportOutages(this, name, target);
  }

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

/**
 * Warns once per outage and setting that may be wrong, and once when the connection is ready again. Without the
 * listener, ioredis writes every error to the console.
 */
function reportOutages(redis: Redis, name: string, target: RedisTarget): Redis {
  const { onWarning } = target;
  const reported = new Set<string>();
  const reportOutage = (error?: Error) => {
    if (redis.status === 'end') return;
    const refused = error !== undefined && haveSentinelsFailed(error) ? findRefusedSetting(error, target) : null;
    const setting = refused ?? (target.sentinels ? `${target.setting}, REDIS_SENTINELS` : target.setting);
    if (reported.has(setting) || (reported.size > 0 && refused === null)) return;
    reported.add(setting);
    onWarning(`redis is unavailable; reconnecting. If this lasts, check Redis, the network and ${setting}`, {
      connection: name,
      reason: error === undefined ? 'connection closed' : describeConnectionError(error),
    });
  };
  surviveSocketErrors(redis);
  redis.on('error', reportOutage);
  redis.on('ready', () => {
    if (reported.size > 0) onWarning('redis is available again', { connection: name });
    reported.clear();
  });
  return redis;
}
