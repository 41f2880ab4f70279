import { randomBytes } from 'node:crypto';
import { RowReader } from '@widget-service/shared/adapters/row-reader.ts';
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
import { type ComparablePosition, runLimits } from '@widget-service/shared/ports/run-registry.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Redis } from 'ioredis';
import { TailConnection } from './connections.ts';
import type { RedisKeys } from './keys.ts';
import { logRows, type StreamEntry, toEntryFields, toEntryId } from './log-entry.ts';
import { loadScript, runScript, translateErrors } from './redis-call.ts';
import type { OnWarning } from './redis-failover.ts';
import { isForbidden, parseMaxMemoryBytes } from './redis-info.ts';
import { type ReplicaReads, ReplicaTail } from './replica-tail.ts';

const markLifetimeSeconds = runLimits.markLifetimeMs / 1000;
/**
 * The log's share of `maxmemory`. If the hook queue is in the same Redis, hooks get 503 above 80 %
 * (`backlog-limit.ts`), and the queue needs room, too. Alone, the log leaves room for dedupe marks and the control log.
 */
const memoryShareMax = { shared: 0.5, alone: 0.8 };
/** A run checks its own age before it appends. The log also rejects it, in case its process froze after that check. */
const defaultRunAgeMaxMs = runLimits.maxAgeMs;

export interface RedisEventLogOptions {
  /** For short calls. The caller closes it. */
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly retention: EventRetention;
  /** The log begins to reject a run one to two times this long after a higher run arrived (`log-functions.lua`). */
  readonly runAgeMaxMs?: number;
  /** Whether the hook queue is in another Redis. Default: false. */
  readonly isAlone?: boolean;
  /** Opens a connection for one tail. */
  readonly connectTail: () => Redis;
  /** Replicas from which tails read. Null, the default: they read from the primary. */
  readonly replicas?: ReplicaReads | null;
  readonly onWarning?: OnWarning;
}

/** The event log: one Redis Stream with entry ids `<ms>-<seq>`. The Lua scripts enforce its rules. */
export class RedisEventLog implements EventLog {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #options: RedisEventLogOptions;
  readonly #tails = new Set<EventTail>();
  readonly #entries: RowReader<StreamEntry, LogRecord>;
  readonly #scripts = {
    append: loadScript('append', 'log-functions'),
    expireMarks: loadScript('expire-marks', 'log-functions'),
    inspect: loadScript('inspect', 'log-functions'),
    trim: loadScript('trim', 'log-functions'),
  };

  constructor(options: RedisEventLogOptions) {
    this.#redis = options.redis;
    this.#keys = options.keys;
    this.#options = options;
    this.#entries = new RowReader(logRows, options.onWarning);
  }

  async append(run: number, recorded: ComparablePosition | null, events: readonly LogAppend[]): Promise<AppendResult> {
    const { log, logMeta } = this.#keys;
    const recordedArgs = recorded === null ? ['', '', '', ''] : toPositionArgs(recorded);
    const keys = [log, logMeta, ...events.map(({ mark }) => this.#markKey(mark))];
    const { retention, runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const eventArgs = events.flatMap(toAppendArgs);
    const args = [run, retention.count, createEpochId(), ...recordedArgs, runAgeMaxMs, ...eventArgs];
    const reply = runScript(this.#redis, this.#scripts.append, keys, args) as Promise<AppendReply>;
    return toAppendResult(await translateErrors(reply, 'event log append'));
  }

  async expireMarks(marks: readonly DedupeMark[], run: number): Promise<void> {
    if (marks.length === 0) return;
    const { runAgeMaxMs = defaultRunAgeMaxMs } = this.#options;
    const keys = [this.#keys.logMeta, ...marks.map((mark) => this.#markKey(mark))];
    const args = [markLifetimeSeconds, run, runAgeMaxMs, ...marks.map(toMarkVersion)];
    await translateErrors(runScript(this.#redis, this.#scripts.expireMarks, keys, args), 'event log expire marks');
  }

  async inspect(position: LogPosition | null): ReturnType<EventLog['inspect']> {
    const args = position === null ? ['', ''] : [position.epoch, toEntryId(position)];
    const call = runScript(this.#redis, this.#scripts.inspect, [this.#keys.log, this.#keys.logMeta], args);
    const reply = (await translateErrors(call, 'event log inspect')) as InspectReply | null;
    if (reply === null) return null;
    const [epoch, ms, seq, oldestMs, oldestSeq, contains] = reply;
    const last = { epoch, ms: Number(ms), seq: Number(seq) };
    const oldest = { epoch, ms: Number(oldestMs), seq: Number(oldestSeq) };
    return { extent: { epoch, oldest, last }, contains: contains === 1 };
  }

  async readAfter(after: LogPosition, limit: number): Promise<LogRecord[]> {
    // Entry ids suffice for the order, because `append.lua` gives a new epoch higher ids than the last one.
    const entries = this.#redis.xrange(this.#keys.log, `(${toEntryId(after)}`, '+', 'COUNT', limit);
    return this.#entries.readUntilDamaged(await translateErrors(entries, 'event log read'));
  }

  async readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]> {
    const entries = this.#redis.xrevrange(this.#keys.log, toEntryId(position), '-', 'COUNT', limit);
    return this.#entries.readSinceDamaged((await translateErrors(entries, 'event log read')).reverse());
  }

  openTail(): EventTail {
    const tail = this.#createTail();
    this.#tails.add(tail);
    return tail;
  }

  #createTail(): EventTail {
    const { log } = this.#keys;
    const { connectTail, replicas = null } = this.#options;
    const entries = this.#entries;
    const openPrimary = () => new RedisEventTail(log, entries, connectTail);
    if (replicas === null) return openPrimary();
    return new ReplicaTail({
      openPrimary,
      openReplica: (index) => new RedisEventTail(log, entries, () => replicas.connectTail(index)),
      replicaCount: replicas.count,
      readEnd: async () => (await this.inspect(null))?.extent.last ?? null,
      clock: systemClock,
      onWarning: replicas.onWarning,
    });
  }

  async trim(recorded: ComparablePosition | null): Promise<void> {
    if (recorded === null) return;
    const { count, ageMs } = this.#options.retention;
    const bytesMax = await translateErrors(this.#readBytesMax(), 'event log trim');
    const keys = [this.#keys.log, this.#keys.logMeta];
    const args = [count, ageMs, bytesMax, ...toPositionArgs(recorded)];
    await translateErrors(runScript(this.#redis, this.#scripts.trim, keys, args), 'event log trim');
  }

  /** Closes the tails that are still open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }

  /**
   * Returns how many bytes the log may use: the retention's limit, or the log's share of `maxmemory` if that is
   * smaller. Reads `maxmemory` at each trim, because an operator may change it at run time. If Redis does not report
   * it, only the retention counts.
   */
  async #readBytesMax(): Promise<number> {
    const info = await this.#redis.info('memory').catch((error) => {
      if (isForbidden(error)) return '';
      throw error;
    });
    const { bytes } = this.#options.retention;
    const share = this.#options.isAlone === true ? memoryShareMax.alone : memoryShareMax.shared;
    const maxMemoryBytes = parseMaxMemoryBytes(info) ?? 0;
    return maxMemoryBytes > 0 ? Math.min(bytes, Math.floor(maxMemoryBytes * share)) : bytes;
  }

  #markKey(mark: DedupeMark): string {
    return mark.kind === 'version' ? this.#keys.watermark(mark.widgetId) : this.#keys.appendedEvent(mark.eventId);
  }
}

type AppendReply = [
  epoch: string,
  epochRun: number,
  ms: number,
  seq: number,
  startedNewEpoch: number,
  ...seqs: number[],
];
type Numeric = string | number;
type InspectReply = [epoch: string, ms: Numeric, seq: Numeric, oldestMs: Numeric, oldestSeq: Numeric, contains: number];

function toPositionArgs({ epoch, epochRun, ms, seq }: ComparablePosition): (string | number)[] {
  return [epoch, epochRun, ms, seq];
}

function toAppendArgs({ event, mark }: LogAppend): (string | number)[] {
  const fields = toEntryFields(event);
  return [toMarkVersion(mark), fields.length, ...fields];
}

function toMarkVersion(mark: DedupeMark): string {
  return mark.kind === 'version' ? String(mark.version) : '';
}

/** All events of one append call have the same `ms`: the one of the log's end. */
function toAppendResult([epoch, epochRun, ms, seq, startedNewEpoch, ...seqs]: AppendReply): AppendResult {
  return {
    positions: seqs.map((eventSeq) => (eventSeq === 0 ? null : { epoch, ms, seq: eventSeq })),
    last: { epoch, epochRun, ms, seq },
    startedNewEpoch: startedNewEpoch === 1,
  };
}

/** Returns eight random characters of `0-9a-z`: enough that no two epochs of a deployment have the same id. */
function createEpochId(): string {
  return Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('');
}

const blockMs = 2000;
const deadlineMs = 5000;

/** Reads the stream of the event log on one server. */
class RedisEventTail implements EventTail {
  readonly #key: string;
  readonly #entries: RowReader<StreamEntry, LogRecord>;
  readonly #connection: TailConnection;

  constructor(key: string, entries: RowReader<StreamEntry, LogRecord>, connect: () => Redis) {
    this.#key = key;
    this.#entries = entries;
    this.#connection = new TailConnection('event tail', connect, deadlineMs);
  }

  async next(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const reply = await this.#connection.run((redis) =>
      redis.xread('COUNT', limit, 'BLOCK', blockMs, 'STREAMS', this.#key, toEntryId(after)),
    );
    return this.#entries.readUntilDamaged((reply?.[0]?.[1] ?? []) as StreamEntry[]);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
