import { randomInt } from 'node:crypto';
import { type OnWarning, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type LogPosition, positionBefore } from '@widget-service/shared/domain/log-position.ts';
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
import type { Database } from './database.ts';
import { Notifier } from './notifier.ts';
import { RecentRecords } from './recent-records.ts';
import { type EventRow, eventRows, insertEvent, SqliteDedupeMarks } from './sqlite-event-rows.ts';

/** How many events one transaction of `trim` drops at most. Requests and streams run between two transactions. */
const trimBatchRows = 500;
/** How long `EventTail.next` waits for an event. */
const tailWaitMs = 2000;
/** A stream must not show an event that a power cut can undo. */
const fromDisk = { isSynced: true } as const;
const epochLetters = '0123456789abcdefghijklmnopqrstuvwxyz';

/** The row of `event_log_state`. */
interface LogState {
  readonly epoch: string;
  readonly epoch_run: number;
  readonly last_ms: number;
  readonly last_seq: number;
  readonly bytes: number;
}

/**
 * The event log and the run registry are tables of one file, and SQLite keeps the order of transactions. So the log
 * cannot lose an event whose position the registry has: it ignores `lastRecorded`, and it has only one epoch (ADR 30).
 */
export class SqliteEventLog implements EventLog {
  readonly marks: SqliteDedupeMarks;
  readonly #db: Database;
  readonly #retention: EventRetention;
  readonly #now: () => Date;
  readonly #appended = new Notifier();
  readonly #tails = new Set<EventTail>();
  readonly #recent = new RecentRecords();
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #rows: RowReader<EventRow, LogRecord>;

  constructor(db: Database, retention: EventRetention, now: () => Date, onWarning?: OnWarning) {
    this.#rows = new RowReader(eventRows, onWarning);
    this.#db = db;
    this.marks = new SqliteDedupeMarks(db);
    this.#retention = retention;
    this.#now = now;
    this.#statements = prepareStatements(db);
  }

  async append(
    run: number,
    _lastRecorded: ComparablePosition | null,
    events: readonly LogAppend[],
  ): Promise<AppendResult> {
    // Synced, with everything that the run wrote before (see `fromDisk`).
    const { records, ...result } = await this.#db.write(() => this.#append(run, events));
    this.#recent.add(records);
    this.#appended.notify();
    return result;
  }

  /** Needs no run number: only this process appends, one batch at a time, so no stale run can append. */
  expireMarks(marks: readonly DedupeMark[]): Promise<void> {
    return this.marks.expire(marks, this.#now());
  }

  inspect(position: LogPosition | null): ReturnType<EventLog['inspect']> {
    return this.#db.read(() => {
      const state = this.#readState();
      if (state === undefined) return null;
      const { epoch } = state;
      const last = { epoch, ms: state.last_ms, seq: state.last_seq };
      const first = this.#readOldest();
      const oldest =
        first === undefined
          ? last
          : positionBefore({ epoch, ms: first.ms, seq: first.seq, previousMs: first.previous_ms });
      const contains =
        position?.epoch === epoch && this.#statements.contains.get(position.seq, position.ms) !== undefined;
      return { extent: { epoch, oldest, last }, contains };
    }, fromDisk);
  }

  async readAfter(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const recent = this.#recent.readAfter(after, limit);
    if (recent.length > 0) return recent;
    return this.#db.read(() => {
      const state = this.#readState();
      if (state === undefined) return [];
      // A position of another epoch cannot be compared by seq. The log's events are all newer.
      const seq = after.epoch === state.epoch ? after.seq : 0;
      const rows = this.#statements.selectAfter.all(seq, limit) as unknown as Omit<EventRow, 'epoch'>[];
      return this.#rows.readUntilDamaged(rows.map((row) => ({ ...row, epoch: state.epoch })));
    }, fromDisk);
  }

  readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]> {
    return this.#db.read(() => {
      const state = this.#readState();
      if (state === undefined) return [];
      // A position of another epoch cannot be compared by seq. None of the log's events is older.
      const seq = position.epoch === state.epoch ? position.seq : 0;
      const rows = this.#statements.selectUpTo.all(seq, limit) as unknown as Omit<EventRow, 'epoch'>[];
      return this.#rows.readSinceDamaged(rows.map((row) => ({ ...row, epoch: state.epoch })).reverse());
    }, fromDisk);
  }

  openTail(): EventTail {
    const tail = new SqliteEventTail(this, this.#appended);
    this.#tails.add(tail);
    return tail;
  }

  async trim(): Promise<void> {
    for (;;) {
      const dropped = await this.#db.write(() => {
        const state = this.#readState();
        return state === undefined ? 0 : this.#drop(state, trimBatchRows);
      });
      if (dropped < trimBatchRows) break;
    }
    await this.marks.removeExpired(this.#now());
  }

  /** Closes the tails that are still open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }

  /** Also returns the records of the events that it appended. */
  #append(run: number, events: readonly LogAppend[]): AppendResult & { readonly records: readonly LogRecord[] } {
    const state = this.#readState() ?? this.#startFirstEpoch(run);
    const { epoch, epoch_run: epochRun } = state;
    const ms = Math.max(this.#now().getTime(), state.last_ms);
    const records: LogRecord[] = [];
    let { last_seq: seq, last_ms: previousMs, bytes } = state;
    const positions = events.map(({ event, mark }): LogPosition | null => {
      if (!this.marks.set(mark)) return null;
      seq += 1;
      const record = { epoch, ms, seq, previousMs, event };
      bytes += insertEvent(this.#statements.insertEvent, record);
      records.push(record);
      previousMs = ms;
      return { epoch, ms, seq };
    });
    const end: LogState = seq === state.last_seq ? state : { ...state, last_ms: ms, last_seq: seq, bytes };
    if (end !== state) this.#writeState(end);
    // An append drops at most two events per event that it is given. So a log above a lowered limit shrinks step by
    // step, and no append takes long.
    if ((this.#readOldest()?.seq ?? seq) <= seq - this.#retention.count) this.#drop(end, 2 * events.length);
    const last = { epoch, epochRun, ms: end.last_ms, seq: end.last_seq };
    return { positions, last, startedNewEpoch: false, records };
  }

  #startFirstEpoch(run: number): LogState {
    const epoch = Array.from({ length: 8 }, () => epochLetters[randomInt(epochLetters.length)]).join('');
    const state = { epoch, epoch_run: run, last_ms: this.#now().getTime(), last_seq: 0, bytes: 0 };
    this.#writeState(state);
    return state;
  }

  /** Drops the oldest events that retention no longer keeps, at most `limit` of them. Returns how many. */
  #drop(state: LogState, limit: number): number {
    const { count, ageMs, bytes } = this.#retention;
    const oldestKeptMs = this.#now().getTime() - ageMs;
    const oldest = this.#statements.selectOldest.all(limit) as unknown as { seq: number; ms: number; bytes: number }[];
    let remainingBytes = state.bytes;
    let lastDroppedSeq = 0;
    let dropped = 0;
    for (const event of oldest) {
      if (event.seq > state.last_seq - count && event.ms >= oldestKeptMs && remainingBytes <= bytes) break;
      remainingBytes -= event.bytes;
      lastDroppedSeq = event.seq;
      dropped += 1;
    }
    if (dropped === 0) return 0;
    this.#statements.deleteUpTo.run(lastDroppedSeq);
    this.#recent.dropUpTo(lastDroppedSeq);
    this.#writeState({ ...state, bytes: remainingBytes });
    return dropped;
  }

  /** Undefined before the first append. */
  #readState(): LogState | undefined {
    return this.#statements.selectState.get() as LogState | undefined;
  }

  #writeState(state: LogState): void {
    this.#statements.writeState.run(state.epoch, state.epoch_run, state.last_ms, state.last_seq, state.bytes);
  }

  #readOldest(): Pick<EventRow, 'seq' | 'ms' | 'previous_ms'> | undefined {
    return this.#statements.selectOldest.get(1) as Pick<EventRow, 'seq' | 'ms' | 'previous_ms'> | undefined;
  }
}

class SqliteEventTail implements EventTail {
  readonly #log: Pick<EventLog, 'readAfter'>;
  readonly #appended: Notifier;
  readonly #closing = new AbortController();

  constructor(log: Pick<EventLog, 'readAfter'>, appended: Notifier) {
    this.#log = log;
    this.#appended = appended;
  }

  async next(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const { signal } = this.#closing;
    const endAt = performance.now() + tailWaitMs;
    for (;;) {
      if (signal.aborted) throw new UnavailableError('event tail: closed');
      const records = await this.#log.readAfter(after, limit);
      const remainingMs = endAt - performance.now();
      if (records.length > 0 || remainingMs <= 0) return records;
      // No append is missed: the wait starts in the same event-loop turn as the read, and an append needs another turn.
      await this.#appended.wait(remainingMs, signal);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }
}

function prepareStatements(db: Database) {
  return {
    selectState: db.prepare('SELECT * FROM event_log_state'),
    writeState: db.prepare('INSERT OR REPLACE INTO event_log_state VALUES (1, ?, ?, ?, ?, ?)'),
    insertEvent: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    selectAfter: db.prepare('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?'),
    selectUpTo: db.prepare('SELECT * FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT ?'),
    selectOldest: db.prepare('SELECT seq, ms, previous_ms, bytes FROM events ORDER BY seq LIMIT ?'),
    contains: db.prepare('SELECT 1 FROM events WHERE seq = ? AND ms = ?'),
    deleteUpTo: db.prepare('DELETE FROM events WHERE seq <= ?'),
  };
}
