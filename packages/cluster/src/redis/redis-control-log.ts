import { parseControlEntry, serializeControlEntry } from '@widget-service/shared/adapters/control-entry-codec.ts';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { Redis } from 'ioredis';
import { TailConnection } from './connections.ts';
import type { RedisKeys } from './keys.ts';
import type { StreamEntry } from './log-entry.ts';
import { translateErrors } from './redis-call.ts';

/** Far more entries than a running pod can fall behind. A pod that has fallen behind further re-checks every grant. */
const defaultMaxLength = 10_000;

/** The control log is a Redis Stream. Its entries have one field: `j`, the entry as JSON. */
export class RedisControlLog implements ControlLog {
  readonly #redis: Redis;
  /** The stream's key. */
  readonly #key: string;
  readonly #connectTail: () => Redis;
  readonly #maxLength: number;
  readonly #tails = new Set<ControlTail>();

  /**
   * `redis` is for short calls; the caller closes it. `connectTail` opens a connection for one tail. `maxLength` is how
   * many entries the stream keeps.
   */
  constructor(redis: Redis, keys: Pick<RedisKeys, 'control'>, connectTail: () => Redis, maxLength = defaultMaxLength) {
    this.#redis = redis;
    this.#key = keys.control;
    this.#connectTail = connectTail;
    this.#maxLength = maxLength;
  }

  async announce(entry: ControlEntry): Promise<void> {
    // ioredis may send the command twice when the connection breaks. A repeated entry is harmless.
    const added = this.#redis.xadd(this.#key, 'MAXLEN', this.#maxLength, '*', 'j', serializeControlEntry(entry));
    await translateErrors(withDeadline(added, requestDeadlineMs, 'control announce'), 'control announce');
  }

  openTail(): ControlTail {
    const tail = new RedisControlTail(this.#key, this.#maxLength, this.#connectTail);
    this.#tails.add(tail);
    return tail;
  }

  /** Closes the tails that are still open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }
}

const blockMs = 500;
/** Short, so that a pod soon notices a connection that no longer answers. */
const deadlineMs = 3000;
const maxEntries = 500;
/** The id before every entry: the position of a tail on an empty stream. */
const startId = '0-0';

type TailResult = Awaited<ReturnType<ControlTail['next']>>;

interface ReadOutcome {
  readonly result: TailResult;
  /** The id of the last entry read, or of the last entry in the stream if the tail skipped to its end. */
  readonly position: string;
}

/**
 * Reads the entries after its position, the id of the last entry that it read. Each read also checks that this entry
 * still exists. Redis trims the oldest entries first: while the entry exists, every later one exists, too.
 *
 * Example: the tail has read up to entry 7, and the next read returns 8 and 9. If entry 7 still exists, the tail has
 * missed nothing. If entry 7 is gone, the log was wiped, replaced, or trimmed past the tail, and `mayHaveMissed` is
 * true.
 *
 * After a failed read, the tail continues at the same entry and also sets `mayHaveMissed`. A replica that became
 * primary may have entry 7 and lack entry 8.
 */
class RedisControlTail implements ControlTail {
  readonly #key: string;
  readonly #maxLength: number;
  readonly #connection: TailConnection;
  /** Null until the first read. */
  #position: string | null = null;
  /** True if the last read failed: the log may have lost entries that this tail has not read. */
  #hasReadFailed = false;

  constructor(key: string, maxLength: number, connect: () => Redis) {
    this.#key = key;
    this.#maxLength = maxLength;
    this.#connection = new TailConnection('control tail', connect, deadlineMs);
  }

  async next(): Promise<TailResult> {
    try {
      const { result, position } = await this.#connection.run((redis) =>
        this.#position === null ? this.#startAtEnd(redis) : this.#readOn(redis, this.#position),
      );
      this.#position = position;
      this.#hasReadFailed = false;
      return result;
    } catch (error) {
      this.#hasReadFailed = true;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #startAtEnd(redis: Redis): Promise<ReadOutcome> {
    return { result: { entries: [], mayHaveMissed: true }, position: await this.#readLastId(redis) };
  }

  async #readOn(redis: Redis, position: string): Promise<ReadOutcome> {
    const hasReadFailed = this.#hasReadFailed;
    // Redis runs the two commands in this order, so the check notices entries that were lost before the read. After a
    // failure, the read does not block, so that the caller learns at once that it may have missed entries.
    const [reply, isComplete] = await Promise.all([
      hasReadFailed
        ? redis.xread('COUNT', maxEntries, 'STREAMS', this.#key, position)
        : redis.xread('COUNT', maxEntries, 'BLOCK', blockMs, 'STREAMS', this.#key, position),
      this.#hasAllAfter(redis, position),
    ]);
    const streamEntries = (reply?.[0]?.[1] ?? []) as StreamEntry[];
    const texts = streamEntries.map(([, fields]) => fields[1] ?? '');
    const parsed = texts.map(parseControlEntry);
    // `parseControlEntry` returns null for an entry that this version cannot read: it counts as missed.
    const mayHaveMissed = hasReadFailed || !isComplete || parsed.includes(null);
    return {
      result: { entries: parsed.filter((entry) => entry !== null), mayHaveMissed },
      position: streamEntries.at(-1)?.[0] ?? (isComplete ? position : await this.#readLastId(redis)),
    };
  }

  /**
   * Returns whether the stream still has every entry after `position`. After `startId`: true while the stream is too
   * short to have been trimmed.
   */
  async #hasAllAfter(redis: Redis, position: string): Promise<boolean> {
    if (position === startId) return (await redis.xlen(this.#key)) < this.#maxLength;
    return (await redis.xrange(this.#key, position, position)).length > 0;
  }

  async #readLastId(redis: Redis): Promise<string> {
    const [last] = await redis.xrevrange(this.#key, '+', '-', 'COUNT', 1);
    return last?.[0] ?? startId;
  }
}
