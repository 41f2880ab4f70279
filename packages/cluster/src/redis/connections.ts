import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { Redis, type RedisOptions } from 'ioredis';

export type OnWarning = (message: string, details?: object) => void;

export interface RedisTarget {
  readonly url: string;
  readonly onWarning: OnWarning;
}

/** What every connection has in common. */
const commonOptions = {
  // The replies' shapes of RESP2 are the same on every server, and need no handshake of their own.
  protocol: 2,
  connectTimeout: 2000,
  // An idle connection behind a firewall must neither be forgotten nor die unnoticed.
  keepAlive: 10_000,
  // Short at first, so that a blip is over soon; jittered, so that not all processes return at the same moment.
  retryStrategy: (times) => backoffMs(times, { firstMs: 100, maxMs: 1000 }),
  // After a failover the old primary answers READONLY: only a new connection finds the new one.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/** For requests: they are told at once that Redis is away, and the connection comes back by itself. */
const failFastOptions = {
  ...commonOptions,
  // Nothing waits for a Redis that is not there: a caller that was refused must not find its command carried out later.
  enableOfflineQueue: false,
  // A command in flight when the connection broke is sent once more if Redis is back at once, else it fails.
  maxRetriesPerRequest: 1,
  // A frozen Redis keeps its connections open and answers nothing: below the 2 s that callers are promised.
  commandTimeout: 1500,
  // A connection that has been silent for so long although an answer is due leads nowhere: make a new one.
  socketTimeout: 5000,
} satisfies RedisOptions;

/**
 * For one reader that waits for new entries. It does not come back by itself: the reader opens a new one for its next
 * call, so that no call of before is ever answered to it.
 */
const blockingReadOptions = {
  ...commonOptions,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
} satisfies RedisOptions;

/** For BullMQ's workers, which wait for Redis however long it is away, and take up where they stopped. */
const workerOptions = {
  ...commonOptions,
  // BullMQ insists on it for the connections that block.
  maxRetriesPerRequest: null,
  // Far above the two seconds of a blocking read and above a short freeze: commands are sent again after it, and a
  // fetch that is sent again leaves a job behind that comes back only after its lock has expired.
  socketTimeout: 12_000,
} satisfies RedisOptions;

export function openFailFastConnection(target: RedisTarget, name: string): Redis {
  return watched(new Redis(target.url, { ...failFastOptions, connectionName: name }), name, target.onWarning);
}

/** Errors are not reported: the call that meets them fails. */
export function openBlockingReadConnection(target: RedisTarget, name: string): Redis {
  const redis = new Redis(target.url, { ...blockingReadOptions, connectionName: name });
  redis.on('error', () => undefined);
  return redis;
}

/**
 * A connection for BullMQ's workers. BullMQ duplicates it for each worker and waits without limit when it closes the
 * copies, so it keeps them in sight: `disconnectAll` ends them whatever state they are in.
 */
export class WorkerRedis extends Redis {
  readonly #copies: Redis[] = [];

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    // Whatever takes Redis away is reported by the original already.
    copy.on('error', () => undefined);
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
  const redis = new WorkerRedis(target.url, { ...workerOptions, connectionName: name });
  watched(redis, name, target.onWarning);
  return redis;
}

/**
 * Resolves when the connection is ready, or as soon as it is known that it will not be for now. A start waits for this,
 * so that the first requests are not refused by a connection that is about to be made.
 */
export async function waitForFirstContact(redis: Redis, withinMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  const stop = new AbortController();
  await Promise.race([
    once(redis, 'ready', { signal: stop.signal }),
    once(redis, 'close', { signal: stop.signal }),
    delay(withinMs, undefined, { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
}

/** Tells once that Redis is away and once that it is back. Without a listener an `error` would end the process. */
function watched(redis: Redis, name: string, onWarning: OnWarning): Redis {
  let isAway = false;
  const away = (error?: Error) => {
    if (isAway || redis.status === 'end') return;
    isAway = true;
    onWarning('redis is away', { connection: name, reason: error?.message ?? 'connection closed' });
  };
  redis.on('error', away);
  redis.on('ready', () => {
    if (isAway) onWarning('redis is back', { connection: name });
    isAway = false;
  });
  return redis;
}
