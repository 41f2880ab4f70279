import { randomBytes } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type {
  AppendResult,
  DedupeMark,
  EventLog,
  EventRetention,
  EventTail,
  LogAppend,
  LogRecord,
} from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { type Redis, ReplyError } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { type StreamEntry, toEntryFields, toEntryId, toLogRecord } from './log-entry.ts';
import { maxMemoryBytes } from './redis-info.ts';
import { loadScript, runScript } from './script.ts';
import { translateErrors, translateRedisError } from './translate-error.ts';

/** A run that presents an event again comes long before this, or finds the event settled in its store. */
const settledGuardSeconds = 3600;
/** Of the memory Redis may use. Hooks are refused above 80 % of it, and what the queue holds must fit in as well. */
const memoryShareMax = 0.5;
/** A run gives itself up after as long; one that slept right before it appended must be stopped by the log. */
const defaultRunAgeMaxMs = 600_000;

export interface RedisEventLogOptions {
  /** For short calls; stays open when the log's user is done. */
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly retention: EventRetention;
  /** An append is refused when a run with a higher number came longer ago, in milliseconds. */
  readonly runAgeMaxMs?: number;
  /** Makes a connection for one tail. */
  readonly connectTail: () => Redis;
}

/** The log is one Redis Stream, whose entry ids are `<ms>-<seq>`; its rules are kept by the scripts. */
export class RedisEventLog implements EventLog {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #options: RedisEventLogOptions;
  readonly #tails = new Set<RedisEventTail>();
  readonly #scripts = {
    append: loadScript('append', ['numbers', 'run-age', 'entries', 'lost-tail']),
    settle: loadScript('expire-marks', ['numbers', 'run-age']),
    inspect: loadScript('inspect', ['entries']),
    trim: loadScript('trim', ['numbers', 'entries', 'lost-tail']),
  };

  constructor(options: RedisEventLogOptions) {
    this.#redis = options.redis;
    this.#keys = options.keys;
    this.#options = options;
  }

  async append(run: number, recorded: ComparablePosition | null, events: readonly LogAppend[]): Promise<AppendResult> {
    const { log, logMeta } = this.#keys;
    const position = recorded === null ? ['', '', '', ''] : toPositionArgs(recorded);
    const keys = [log, logMeta, ...events.map(({ mark }) => this.#markKey(mark))];
    const { retention, runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const args = [run, retention.count, createEpochWord(), ...position, runAgeMaxMs, ...events.flatMap(toAppendArgs)];
    const work = runScript(this.#redis, this.#scripts.append, keys, args) as Promise<AppendReply>;
    return toAppendResult(await translateErrors(work, 'event log append'));
  }

  async expireMarks(guards: readonly DedupeMark[], run: number): Promise<void> {
    if (guards.length === 0) return;
    const { runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const keys = [this.#keys.logMeta, ...guards.map((guard) => this.#markKey(guard))];
    const args = [settledGuardSeconds, run, runAgeMaxMs, ...guards.map(toMarkVersion)];
    await translateErrors(runScript(this.#redis, this.#scripts.settle, keys, args), 'event log settle');
  }

  async inspect(position: LogPosition | null): ReturnType<EventLog['inspect']> {
    const args = position === null ? ['', ''] : [position.epoch, toEntryId(position)];
    const work = runScript(this.#redis, this.#scripts.inspect, [this.#keys.log, this.#keys.logMeta], args);
    const reply = (await translateErrors(work, 'event log inspect')) as InspectReply | null;
    if (reply === null) return null;
    const [epoch, ms, seq, oldestMs, oldestSeq, contains] = reply;
    const last = { epoch, ms: Number(ms), seq: Number(seq) };
    const oldest = { epoch, ms: Number(oldestMs), seq: Number(oldestSeq) };
    return { extent: { epoch, oldest, last }, contains: contains === 1 };
  }

  async readAfter(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const work = this.#redis.xrange(this.#keys.log, `(${toEntryId(after)}`, '+', 'COUNT', limit);
    return (await translateErrors(work, 'event log read')).map(toLogRecord);
  }

  async readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]> {
    const work = this.#redis.xrevrange(this.#keys.log, toEntryId(position), '-', 'COUNT', limit);
    return (await translateErrors(work, 'event log read')).map(toLogRecord).reverse();
  }

  openTail(): EventTail {
    const tail = new RedisEventTail({ log: this.#keys.log, connect: this.#options.connectTail });
    this.#tails.add(tail);
    return tail;
  }

  async trim(recorded: ComparablePosition | null): Promise<void> {
    if (recorded === null) return;
    const { count, ageMs } = this.#options.retention;
    const bytes = await translateErrors(this.#bytesKept(), 'event log trim');
    const keys = [this.#keys.log, this.#keys.logMeta];
    const args = [count, ageMs, bytes, ...toPositionArgs(recorded)];
    await translateErrors(runScript(this.#redis, this.#scripts.trim, keys, args), 'event log trim');
  }

  /** Ends tails that were left open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }

  /** Asked for each time: the bound of a running Redis may be changed. One that will not tell it has none. */
  async #bytesKept(): Promise<number> {
    const info = await this.#redis.info('memory').catch((error) => {
      if (error instanceof ReplyError) return '';
      throw error;
    });
    const { bytes } = this.#options.retention;
    const most = maxMemoryBytes(info) ?? 0;
    return most > 0 ? Math.min(bytes, Math.floor(most * memoryShareMax)) : bytes;
  }

  #markKey(guard: DedupeMark): string {
    return guard.kind === 'version' ? this.#keys.watermark(guard.widgetId) : this.#keys.appendedEvent(guard.eventId);
  }
}

type AppendReply = [epoch: string, epochRun: number, ms: number, seq: number, began: number, ...seqs: number[]];
type Told = string | number;
type InspectReply = [epoch: string, ms: Told, seq: Told, oldestMs: Told, oldestSeq: Told, contains: number];

function toPositionArgs({ epoch, epochRun, ms, seq }: ComparablePosition): (string | number)[] {
  return [epoch, epochRun, ms, seq];
}

function toAppendArgs({ event, mark }: LogAppend): (string | number)[] {
  const fields = toEntryFields(event);
  return [toMarkVersion(mark), fields.length, ...fields];
}

function toMarkVersion(guard: DedupeMark): string {
  return guard.kind === 'version' ? String(guard.version) : '';
}

function toAppendResult([epoch, epochRun, ms, seq, began, ...seqs]: AppendReply): AppendResult {
  return {
    positions: seqs.map((appended) => (appended === 0 ? null : { epoch, ms, seq: appended })),
    last: { epoch, epochRun, ms, seq },
    startedNewEpoch: began === 1,
  };
}

/** Eight characters of 36, should an epoch begin: no two epochs of a deployment have the same word. */
function createEpochWord(): string {
  return Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
}

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
        redis.xread('COUNT', limit, 'BLOCK', blockMs, 'STREAMS', this.#options.log, toEntryId(after)),
        deadlineMs,
        'event tail',
      );
      const entries = (reply?.[0]?.[1] ?? []) as StreamEntry[];
      return entries.map(toLogRecord);
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
