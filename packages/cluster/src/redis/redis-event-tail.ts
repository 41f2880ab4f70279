import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import { entryIdOf, recordOfEntry, type StreamEntry } from './log-entry.ts';
import { translateRedisError } from './translate-error.ts';

const blockMs = 2000;
const deadlineMs = 5000;

export interface RedisEventTailOptions {
  /** The stream's key. */
  readonly log: string;
  /** Makes a connection that is this reader's own: a blocking read would hold up everybody else. */
  readonly connect: () => Redis;
}

export class RedisEventTail implements EventTail {
  readonly #options: RedisEventTailOptions;
  #redis: Redis | null = null;
  #isClosed = false;

  constructor(options: RedisEventTailOptions) {
    this.#options = options;
  }

  async next(after: LogPosition, limit: number): Promise<LogRecord[]> {
    if (this.#isClosed) throw new UnavailableError('event tail: closed');
    this.#redis ??= this.#options.connect();
    const redis = this.#redis;
    try {
      // The deadline is our own, because a frozen Redis never settles the call.
      const reply = await withDeadline(
        redis.xread('COUNT', limit, 'BLOCK', blockMs, 'STREAMS', this.#options.log, entryIdOf(after)),
        deadlineMs,
        'event tail',
      );
      const entries = (reply?.[0]?.[1] ?? []) as StreamEntry[];
      return entries.map(recordOfEntry);
    } catch (error) {
      // The read may still be waiting on this connection: the next call gets another one.
      redis.disconnect();
      if (this.#redis === redis) this.#redis = null;
      throw translateRedisError(error, 'event tail');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis?.disconnect();
    this.#redis = null;
  }
}
