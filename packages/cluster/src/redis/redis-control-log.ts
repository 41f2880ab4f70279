import { parseControlEntry, serializeControlEntry } from '@widget-service/shared/adapters/control-entry-codec.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import type { StreamEntry } from './log-entry.ts';
import { translateErrors, translateRedisError } from './translate-error.ts';

/** Far more than a pod can fall behind while it runs; one that was away longer looks everything up anyway. */
const defaultMaxLength = 10_000;

export interface RedisControlLogOptions {
  /** For short calls; stays open when the log's user is done. */
  readonly redis: Redis;
  readonly keys: Pick<RedisKeys, 'control'>;
  /** Makes a connection for one tail. */
  readonly connectTail: () => Redis;
  /** How many entries are kept. */
  readonly maxLength?: number;
}

/** A Redis Stream of its own, whose entries have one field: `j`, the entry as JSON. */
export class RedisControlLog implements ControlLog {
  readonly #options: RedisControlLogOptions;
  readonly #maxLength: number;
  readonly #tails = new Set<ControlTail>();

  constructor(options: RedisControlLogOptions) {
    this.#options = options;
    this.#maxLength = options.maxLength ?? defaultMaxLength;
  }

  async announce(entry: ControlEntry): Promise<void> {
    const { redis, keys } = this.#options;
    // ioredis may send it twice when the connection breaks in between, and twice does no harm.
    const added = redis.xadd(keys.control, 'MAXLEN', this.#maxLength, '*', 'j', serializeControlEntry(entry));
    await translateErrors(withDeadline(added, requestDeadlineMs, 'control announce'), 'control announce');
  }

  openTail(): ControlTail {
    const { keys, connectTail } = this.#options;
    const tail = new RedisControlTail({ control: keys.control, maxLength: this.#maxLength, connect: connectTail });
    this.#tails.add(tail);
    return tail;
  }

  /** Ends tails that were left open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }
}

const blockMs = 500;
/** A pod that hears nothing because its connection leads nowhere should notice soon. */
const deadlineMs = 3000;
const maxEntries = 500;
/** Before every entry: where a reader stands in a log that has none. */
const beforeAll = '0-0';

interface RedisControlTailOptions {
  /** The stream's key. */
  readonly control: string;
  /** How many entries the stream keeps. */
  readonly maxLength: number;
  /** Makes a connection that is this reader's own: a blocking read would hold up everybody else. */
  readonly connect: () => Redis;
}

type Told = Awaited<ReturnType<ControlTail['next']>>;

interface Step {
  readonly told: Told;
  /** The id of the entry read last. */
  readonly position: string;
}

/**
 * Reads on from an entry of its own, and after every read looks whether that entry is still there: the oldest go
 * first, so while it is, nothing after it has gone either. When it is not, the log was wiped, replaced, or trimmed
 * past the reader. A log that was away goes on from the same entry; but it may be one that had not got everything yet
 * (a replica that took over).
 */
class RedisControlTail implements ControlTail {
  readonly #options: RedisControlTailOptions;
  #redis: Redis | null = null;
  /** Null: stands nowhere yet. */
  #position: string | null = null;
  /** Whether the log could not be asked since it was read last: it may have lost since what nobody has read. */
  #wasAway = false;
  #isClosed = false;

  constructor(options: RedisControlTailOptions) {
    this.#options = options;
  }

  async next(): Promise<Told> {
    if (this.#isClosed) throw new UnavailableError('control tail: closed');
    this.#redis ??= this.#options.connect();
    const redis = this.#redis;
    try {
      const step = this.#position === null ? this.#begin(redis) : this.#goOn(redis, this.#position);
      // The deadline is our own, because a frozen Redis never settles the call.
      const { told, position } = await withDeadline(step, deadlineMs, 'control tail');
      this.#position = position;
      this.#wasAway = false;
      return told;
    } catch (error) {
      // The read may still be waiting on this connection: the next call gets another one.
      redis.disconnect();
      if (this.#redis === redis) this.#redis = null;
      this.#wasAway = true;
      throw translateRedisError(error, 'control tail');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#redis?.disconnect();
    this.#redis = null;
  }

  async #begin(redis: Redis): Promise<Step> {
    return { told: { entries: [], mayHaveMissed: true }, position: await this.#end(redis) };
  }

  async #goOn(redis: Redis, position: string): Promise<Step> {
    const { control } = this.#options;
    const wasAway = this.#wasAway;
    // Sent together, carried out one after the other. Who may have missed something is told so at once.
    const [reply, isWhole] = await Promise.all([
      wasAway
        ? redis.xread('COUNT', maxEntries, 'STREAMS', control, position)
        : redis.xread('COUNT', maxEntries, 'BLOCK', blockMs, 'STREAMS', control, position),
      this.#keepsAllAfter(redis, position),
    ]);
    const read = (reply?.[0]?.[1] ?? []) as StreamEntry[];
    const texts = read.map(([, fields]) => fields[1] ?? '');
    const parsed = texts.map(parseControlEntry);
    const mayHaveMissed = wasAway || !isWhole || parsed.includes(null);
    return {
      told: { entries: parsed.filter((entry) => entry !== null), mayHaveMissed },
      position: read.at(-1)?.[0] ?? (isWhole ? position : await this.#end(redis)),
    };
  }

  async #keepsAllAfter(redis: Redis, position: string): Promise<boolean> {
    const { control, maxLength } = this.#options;
    if (position === beforeAll) return (await redis.xlen(control)) < maxLength;
    return (await redis.xrange(control, position, position)).length > 0;
  }

  async #end(redis: Redis): Promise<string> {
    const [last] = await redis.xrevrange(this.#options.control, '+', '-', 'COUNT', 1);
    return last?.[0] ?? beforeAll;
  }
}
