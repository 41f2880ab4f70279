import type { RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import { type StreamEntry, toEntryId } from './log-entry.ts';
import { translateRedisError } from './redis-call.ts';

const blockMs = 2000;
const deadlineMs = 5000;

interface RedisEventTailOptions {
  /** The stream's key. */
  readonly log: string;
  /** Opens a connection for this tail alone: a blocking read delays every other command on its connection. */
  readonly connect: () => Redis;
  readonly entries: Pick<RowReader<StreamEntry, LogRecord>, 'readUntilDamaged'>;
}

/** Reads the stream of the event log on one server. */
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
    let reply: Awaited<ReturnType<Redis['xread']>>;
    try {
      // Needs a deadline of its own: against a frozen Redis the call never settles.
      reply = await withDeadline(
        redis.xread('COUNT', limit, 'BLOCK', blockMs, 'STREAMS', this.#options.log, toEntryId(after)),
        deadlineMs,
        'event tail',
      );
    } catch (error) {
      // The read may still be pending on this connection, so the next call opens another one.
      redis.disconnect();
      if (this.#redis === redis) this.#redis = null;
      throw translateRedisError(error, 'event tail');
    }
    return this.#options.entries.readUntilDamaged((reply?.[0]?.[1] ?? []) as StreamEntry[]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis?.disconnect();
    this.#redis = null;
  }
}
