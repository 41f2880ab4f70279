import { randomBytes } from 'node:crypto';
import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type {
  AppendGuard,
  AppendResult,
  EventLog,
  EventRetention,
  EventTail,
  LogAppend,
  LogRecord,
} from '@widget-service/shared/ports/event-log.ts';
import type { NumberedPosition } from '@widget-service/shared/ports/run-register.ts';
import { type Redis, ReplyError } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { entryIdOf, fieldsOfEvent, recordOfEntry } from './log-entry.ts';
import { maxMemoryBytes } from './memory.ts';
import { RedisEventTail } from './redis-event-tail.ts';
import { loadScript, runScript } from './script.ts';
import { translated } from './translate-error.ts';

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
    settle: loadScript('settle', ['numbers', 'run-age']),
    inspect: loadScript('inspect', ['entries']),
    trim: loadScript('trim', ['numbers', 'entries', 'lost-tail']),
  };

  constructor(options: RedisEventLogOptions) {
    this.#redis = options.redis;
    this.#keys = options.keys;
    this.#options = options;
  }

  async append(run: number, recorded: NumberedPosition | null, events: readonly LogAppend[]): Promise<AppendResult> {
    const { log, logMeta } = this.#keys;
    const position = recorded === null ? ['', '', '', ''] : argsOfPosition(recorded);
    const keys = [log, logMeta, ...events.map(({ guard }) => this.#guardKey(guard))];
    const { retention, runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const args = [run, retention.count, createEpochWord(), ...position, runAgeMaxMs, ...events.flatMap(argsOfAppend)];
    const work = runScript(this.#redis, this.#scripts.append, keys, args) as Promise<AppendReply>;
    return resultOfAppend(await translated(work, 'event log append'));
  }

  async settle(guards: readonly AppendGuard[], run: number): Promise<void> {
    if (guards.length === 0) return;
    const { runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const keys = [this.#keys.logMeta, ...guards.map((guard) => this.#guardKey(guard))];
    const args = [settledGuardSeconds, run, runAgeMaxMs, ...guards.map(versionOfGuard)];
    await translated(runScript(this.#redis, this.#scripts.settle, keys, args), 'event log settle');
  }

  async inspect(position: LogPosition | null): ReturnType<EventLog['inspect']> {
    const args = position === null ? ['', ''] : [position.epoch, entryIdOf(position)];
    const work = runScript(this.#redis, this.#scripts.inspect, [this.#keys.log, this.#keys.logMeta], args);
    const reply = (await translated(work, 'event log inspect')) as InspectReply | null;
    if (reply === null) return null;
    const [epoch, ms, seq, oldestMs, oldestSeq, contains] = reply;
    const last = { epoch, ms: Number(ms), seq: Number(seq) };
    const oldest = { epoch, ms: Number(oldestMs), seq: Number(oldestSeq) };
    return { extent: { epoch, oldest, last }, contains: contains === 1 };
  }

  async readAfter(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const work = this.#redis.xrange(this.#keys.log, `(${entryIdOf(after)}`, '+', 'COUNT', limit);
    return (await translated(work, 'event log read')).map(recordOfEntry);
  }

  async readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]> {
    const work = this.#redis.xrevrange(this.#keys.log, entryIdOf(position), '-', 'COUNT', limit);
    return (await translated(work, 'event log read')).map(recordOfEntry).reverse();
  }

  openTail(): EventTail {
    const tail = new RedisEventTail({ log: this.#keys.log, connect: this.#options.connectTail });
    this.#tails.add(tail);
    return tail;
  }

  async trim(recorded: NumberedPosition | null): Promise<void> {
    if (recorded === null) return;
    const { count, ageMs } = this.#options.retention;
    const bytes = await translated(this.#bytesKept(), 'event log trim');
    const keys = [this.#keys.log, this.#keys.logMeta];
    const args = [count, ageMs, bytes, ...argsOfPosition(recorded)];
    await translated(runScript(this.#redis, this.#scripts.trim, keys, args), 'event log trim');
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

  #guardKey(guard: AppendGuard): string {
    return guard.kind === 'version' ? this.#keys.watermark(guard.widgetId) : this.#keys.appendedEvent(guard.eventId);
  }
}

type AppendReply = [epoch: string, epochRun: number, ms: number, seq: number, began: number, ...seqs: number[]];
type Told = string | number;
type InspectReply = [epoch: string, ms: Told, seq: Told, oldestMs: Told, oldestSeq: Told, contains: number];

function argsOfPosition({ epoch, epochRun, ms, seq }: NumberedPosition): (string | number)[] {
  return [epoch, epochRun, ms, seq];
}

function argsOfAppend({ event, guard }: LogAppend): (string | number)[] {
  const fields = fieldsOfEvent(event);
  return [versionOfGuard(guard), fields.length, ...fields];
}

function versionOfGuard(guard: AppendGuard): string {
  return guard.kind === 'version' ? String(guard.version) : '';
}

function resultOfAppend([epoch, epochRun, ms, seq, began, ...seqs]: AppendReply): AppendResult {
  return {
    positions: seqs.map((appended) => (appended === 0 ? null : { epoch, ms, seq: appended })),
    last: { epoch, epochRun, ms, seq },
    beganEpoch: began === 1,
  };
}

/** Eight characters of 36, should an epoch begin: no two epochs of a deployment have the same word. */
function createEpochWord(): string {
  return Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
}
