import { randomInt } from 'node:crypto';
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
import type { SqliteDedupeMarks } from './sqlite-dedupe-marks.ts';
import { type EventRow, insertEvent, prepareEventInsert, toRecord } from './sqlite-event-row.ts';
import { SqliteEventTail } from './sqlite-event-tail.ts';

/** How many events one step of trimming drops, so that requests and streams get their turn in between. */
const trimRows = 500;
const epochLetters = '0123456789abcdefghijklmnopqrstuvwxyz';

interface LogState {
  readonly epoch: string;
  readonly epoch_run: number;
  readonly last_ms: number;
  readonly last_seq: number;
  readonly bytes: number;
}

export interface SqliteEventLogOptions {
  readonly guards: SqliteDedupeMarks;
  readonly retention: EventRetention;
  readonly now: () => Date;
}

export class SqliteEventLog implements EventLog {
  readonly #db: Database;
  readonly #guards: SqliteDedupeMarks;
  readonly #retention: EventRetention;
  readonly #now: () => Date;
  readonly #appended = new Notifier();
  readonly #tails = new Set<SqliteEventTail>();
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(db: Database, { guards, retention, now }: SqliteEventLogOptions) {
    this.#db = db;
    this.#guards = guards;
    this.#retention = retention;
    this.#now = now;
    this.#statements = prepareStatements(db);
  }

  async append(run: number, recorded: ComparablePosition | null, events: readonly LogAppend[]): Promise<AppendResult> {
    const result = await this.#db.write(() => this.#append(run, recorded, events));
    this.#appended.notify();
    return result;
  }

  expireMarks(guards: readonly DedupeMark[]): Promise<void> {
    return this.#guards.expire(guards, this.#now());
  }

  inspect(position: LogPosition | null): ReturnType<EventLog['inspect']> {
    return this.#db.read(() => {
      const state = this.#state();
      if (state === undefined) return null;
      const { epoch } = state;
      const last = { epoch, ms: state.last_ms, seq: state.last_seq };
      const first = this.#oldest();
      const oldest =
        first === undefined
          ? last
          : positionBefore({ epoch, ms: first.ms, seq: first.seq, previousMs: first.after_ms });
      return { extent: { epoch, oldest, last }, contains: position?.epoch === epoch && this.#contains(position) };
    });
  }

  readAfter(after: LogPosition, limit: number): Promise<LogRecord[]> {
    return this.#db.read(() => {
      const state = this.#state();
      if (state === undefined) return [];
      // Numbers of another epoch say nothing here: all the log has came after it.
      const seq = after.epoch === state.epoch ? after.seq : 0;
      const rows = this.#statements.selectAfter.all(seq, limit) as unknown as EventRow[];
      return rows.map((row) => toRecord(state.epoch, row));
    });
  }

  readUpTo(position: LogPosition, limit: number): Promise<LogRecord[]> {
    return this.#db.read(() => {
      const state = this.#state();
      if (state === undefined) return [];
      // Numbers of another epoch say nothing here: none of the log came before it.
      const seq = position.epoch === state.epoch ? position.seq : 0;
      const rows = this.#statements.selectUpTo.all(seq, limit) as unknown as EventRow[];
      return rows.map((row) => toRecord(state.epoch, row)).reverse();
    });
  }

  openTail(): EventTail {
    const tail = new SqliteEventTail(this, this.#appended);
    this.#tails.add(tail);
    return tail;
  }

  async trim(recorded: ComparablePosition | null): Promise<void> {
    for (;;) {
      const dropped = await this.#db.write(() => {
        const state = this.#state();
        if (state === undefined || this.#hasLostTail(state, recorded)) return 0;
        return this.#drop(state, recorded, trimRows);
      });
      if (dropped < trimRows) break;
    }
    await this.#guards.removeExpired(this.#now());
  }

  /** Ends tails that were left open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }

  #append(run: number, recorded: ComparablePosition | null, events: readonly LogAppend[]): AppendResult {
    const known = this.#state();
    const begins = known === undefined || this.#hasLostTail(known, recorded);
    const state = begins ? this.#beginEpoch(run, known, recorded) : known;
    const { epoch, epoch_run: epochRun } = state;
    const ms = Math.max(this.#now().getTime(), state.last_ms);
    let { last_seq: seq, last_ms: previousMs, bytes } = state;
    const positions = events.map(({ event, mark }): LogPosition | null => {
      if (!this.#guards.set(mark)) return null;
      seq += 1;
      bytes += insertEvent(this.#statements.insertEvent, { seq, ms, previousMs }, event);
      previousMs = ms;
      return { epoch, ms, seq };
    });
    const end: LogState = seq === state.last_seq ? state : { ...state, last_ms: ms, last_seq: seq, bytes };
    if (begins || end !== state) this.#writeState(end);
    // Twice of what came, so that a log opened with a lower limit shrinks, but no append takes long.
    if ((this.#oldest()?.seq ?? seq) <= seq - this.#retention.count) {
      this.#drop(end, recorded, 2 * events.length);
    }
    return {
      positions,
      last: { epoch, epochRun, ms: end.last_ms, seq: end.last_seq },
      startedNewEpoch: begins && (known !== undefined || recorded !== null),
    };
  }

  /** True when the log must have held the recorded position and cannot have dropped it by trimming, which stops there. */
  #hasLostTail(state: LogState, recorded: ComparablePosition | null): boolean {
    if (recorded === null) return false;
    if (recorded.epoch !== state.epoch) return recorded.epochRun >= state.epoch_run;
    if (recorded.seq > state.last_seq || recorded.ms > state.last_ms) return true;
    if (recorded.seq === state.last_seq) return recorded.ms !== state.last_ms;
    const oldest = this.#oldest();
    if (oldest?.seq === recorded.seq + 1) return recorded.ms !== (oldest.after_ms ?? recorded.ms);
    if (oldest === undefined || (recorded.seq < oldest.seq && recorded.ms <= oldest.ms)) return false;
    return !this.#contains(recorded);
  }

  /** Numbers and times go on rising, past all that anybody has seen. */
  #beginEpoch(run: number, known: LogState | undefined, recorded: ComparablePosition | null): LogState {
    this.#statements.deleteAll.run();
    return {
      epoch: Array.from({ length: 8 }, () => epochLetters[randomInt(epochLetters.length)]).join(''),
      epoch_run: run,
      last_ms: Math.max(this.#now().getTime(), known?.last_ms ?? 0),
      last_seq: Math.max(known?.last_seq ?? 0, recorded?.seq ?? 0),
      bytes: 0,
    };
  }

  /** Drops at most `limit` of the events up to `recorded` that retention no longer keeps; returns how many. */
  #drop(state: LogState, recorded: ComparablePosition | null, limit: number): number {
    const recordedSeq = recorded?.epoch === state.epoch ? recorded.seq : 0;
    const { count, ageMs, bytes } = this.#retention;
    const firstKeptMs = this.#now().getTime() - ageMs;
    const oldest = this.#statements.selectOldest.all(limit) as unknown as { seq: number; ms: number; bytes: number }[];
    let left = state.bytes;
    let through = 0;
    let dropped = 0;
    for (const event of oldest) {
      const isRetained = event.seq > state.last_seq - count && event.ms >= firstKeptMs && left <= bytes;
      if (isRetained || event.seq > recordedSeq) break;
      left -= event.bytes;
      through = event.seq;
      dropped += 1;
    }
    if (dropped === 0) return 0;
    this.#statements.deleteThrough.run(through);
    this.#writeState({ ...state, bytes: left });
    return dropped;
  }

  #state(): LogState | undefined {
    return this.#statements.selectState.get() as LogState | undefined;
  }

  #writeState(state: LogState): void {
    this.#statements.writeState.run(state.epoch, state.epoch_run, state.last_ms, state.last_seq, state.bytes);
  }

  #oldest(): Pick<EventRow, 'seq' | 'ms' | 'after_ms'> | undefined {
    return this.#statements.selectOldest.get(1) as Pick<EventRow, 'seq' | 'ms' | 'after_ms'> | undefined;
  }

  #contains({ seq, ms }: LogPosition): boolean {
    return this.#statements.contains.get(seq, ms) !== undefined;
  }
}

function prepareStatements(db: Database) {
  return {
    selectState: db.prepare('SELECT * FROM event_log_state'),
    writeState: db.prepare('INSERT OR REPLACE INTO event_log_state VALUES (1, ?, ?, ?, ?, ?)'),
    insertEvent: prepareEventInsert(db),
    selectAfter: db.prepare('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?'),
    selectUpTo: db.prepare('SELECT * FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT ?'),
    selectOldest: db.prepare('SELECT seq, ms, after_ms, bytes FROM events ORDER BY seq LIMIT ?'),
    contains: db.prepare('SELECT 1 FROM events WHERE seq = ? AND ms = ?'),
    deleteThrough: db.prepare('DELETE FROM events WHERE seq <= ?'),
    deleteAll: db.prepare('DELETE FROM events'),
  };
}
