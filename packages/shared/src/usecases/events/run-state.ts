import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { isCovered } from '../../domain/stream-start.ts';
import type { DedupeMark, EventLog } from '../../ports/event-log.ts';
import type { ComparablePosition, RunRegistry } from '../../ports/run-registry.ts';
import type { Clock } from '../../runtime/clock.ts';

// What the runs of one process share: their numbers, the recorded position, and the dedupe marks that may expire.

/** The number under which a run appends, and when it was taken. */
export interface RunNumber {
  readonly run: number;
  /** On the monotonic clock, before the number was requested. */
  readonly takenAtMs: number;
}

/**
 * How long the runs of a process share a number, in milliseconds. A run counts as started when its number was taken. So
 * this must be far below `runLimits.maxAgeMs`.
 */
const sharedForMs = 30_000;

/**
 * The run numbers of one process. A run needs a number that was taken before it reads its widgets. It needs none of its
 * own: numbers only tell the event log which runs are too old, and which of two epochs is the later one. So runs that
 * start within 30 s share one, and most of them take none.
 */
export class RunNumbers {
  readonly #runs: Pick<RunRegistry, 'startRun'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #current: RunNumber | null = null;
  #taking: Promise<RunNumber> | null = null;

  constructor(runs: Pick<RunRegistry, 'startRun'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#runs = runs;
    this.#clock = clock;
  }

  /** Returns a number that was taken at most 30 s ago. Throws `UnavailableError`. */
  async get(): Promise<RunNumber> {
    const current = this.#current;
    if (current !== null && this.#clock.monotonicMs() - current.takenAtMs < sharedForMs) return current;
    this.#taking ??= this.takeNext().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  /**
   * Takes a number that is higher than all that any process has taken before this call. The next runs share it. Throws
   * `UnavailableError`.
   */
  async takeNext(): Promise<RunNumber> {
    const takenAtMs = this.#clock.monotonicMs();
    const { run } = await this.#runs.startRun();
    const taken = { run, takenAtMs };
    if (this.#current === null || this.#current.run < run) this.#current = taken;
    return taken;
  }

  /**
   * The next run takes another number than this one. Call it after a run has failed: the log may have rejected its
   * number.
   */
  forget(run: number): void {
    if (this.#current?.run === run) this.#current = null;
  }
}

/**
 * For how long the known position counts as the stored one, in milliseconds. Within this time another process may
 * record a position of which this one learns only after its append.
 */
const freshForMs = 20;

/**
 * The last recorded position, as one process knows it. Under load it remembers what it has just recorded, and reads
 * nothing. Appends of other processes that overlap are safe, but then two more calls must confirm the position.
 */
export class RecordedPosition {
  readonly #runs: Pick<RunRegistry, 'lastPosition' | 'recordPosition'>;
  readonly #eventLog: Pick<EventLog, 'inspect'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The latest position that this process has read or recorded. */
  #known: ComparablePosition | null = null;
  /** On the monotonic clock: the stored position was `#known` at this time, or later. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(
    runs: Pick<RunRegistry, 'lastPosition' | 'recordPosition'>,
    eventLog: Pick<EventLog, 'inspect'>,
    clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#runs = runs;
    this.#eventLog = eventLog;
    this.#clock = clock;
  }

  /** Reads the position in the background unless it is known, so that `get` will not wait. */
  prepare(): void {
    if (!this.#isFresh()) this.#read().catch(() => undefined);
  }

  /**
   * Returns the position that an append must be checked against: the latest that this process knows. Null if none is
   * recorded. Throws `UnavailableError`.
   */
  async get(): Promise<ComparablePosition | null> {
    if (this.#reading !== null) await this.#reading;
    if (!this.#isFresh()) await this.#read();
    return this.#known;
  }

  #isFresh(): boolean {
    return this.#clock.monotonicMs() - this.#knownAtMs < freshForMs;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const startedAtMs = this.#clock.monotonicMs();
    const stored = await this.#runs.lastPosition();
    // The stored position is the earlier one if this process has recorded one since, or if MongoDB has lost writes.
    // Then the known one is the only evidence of what the log must hold.
    this.#known = pickLatest(this.#known, stored);
    this.#knownAtMs = startedAtMs;
  }

  /**
   * Records `last`, the log's end after an append. The append checked the log against `expected`: the log was complete
   * up to there, or the append started a new epoch. Either way `last` may replace `expected` as the recorded position.
   *
   * If another run recorded a position meanwhile, the log may have been restored from an older copy between the two
   * appends. So the log must still cover both positions. If it does, the later one stays or becomes the recorded
   * position. If it does not, throws `UnavailableError`: no ledger row is marked, and the next run appends the events
   * again. See ADR 8.
   */
  async record(last: ComparablePosition, expected: ComparablePosition | null): Promise<void> {
    let recorded = expected;
    let startedAtMs = this.#clock.monotonicMs();
    while (!(await this.#runs.recordPosition(last, recorded))) {
      startedAtMs = this.#clock.monotonicMs();
      recorded = await this.#runs.lastPosition();
      const covered = await Promise.all(
        [last, recorded].map((position) => position === null || this.#logStillCovers(position)),
      );
      if (covered.includes(false)) {
        // The next append must not be checked against what the log is known to have lost.
        this.#known = pickLatest(this.#known, recorded);
        this.#knownAtMs = Number.NEGATIVE_INFINITY;
        throw new UnavailableError('the event log lost events while a run appended to it: the run starts again');
      }
      if (recorded?.epoch === last.epoch && recorded.seq >= last.seq) {
        this.#known = recorded;
        this.#knownAtMs = startedAtMs;
        return;
      }
    }
    this.#known = last;
    this.#knownAtMs = startedAtMs;
  }

  /**
   * Returns whether the log covers the position: it holds the event there, or ends exactly there. Also returns false
   * for a position that was trimmed since, which looks like a lost one. That is safe: the run starts again, and the
   * dedupe marks skip the events that the log had.
   */
  async #logStillCovers(position: LogPosition): Promise<boolean> {
    const inspection = await this.#eventLog.inspect(position);
    return inspection !== null && isCovered(position, inspection.extent, inspection.contains);
  }
}

/** Two epochs of one number are no evidence of their order: then the stored position counts. */
function pickLatest(known: ComparablePosition | null, stored: ComparablePosition | null): ComparablePosition | null {
  if (known === null || stored === null) return known ?? stored;
  return known.epochRun > stored.epochRun || (known.epoch === stored.epoch && known.seq > stored.seq) ? known : stored;
}

/** How many marks one call lets expire. It keeps the log busy for about a millisecond. */
const marksPerCall = 1_000;

/**
 * The dedupe marks of published events, until the log lets them expire. That needs a run number that is higher than
 * those of all runs that may still append the events. Each of these runs has read the events before they left the
 * outbox, or has found their ledger rows unpublished. So a number that is taken after that is high enough. One number
 * serves all marks of about two seconds.
 *
 * Marks that a process had not let expire when it was killed stay in the log: harmless.
 */
export class ExpiringMarks {
  readonly #numbers: Pick<RunNumbers, 'takeNext'>;
  readonly #eventLog: Pick<EventLog, 'expireMarks'>;
  /** By widget or event. Of a widget only the highest version. */
  readonly #marks = new Map<string, DedupeMark>();

  constructor(numbers: Pick<RunNumbers, 'takeNext'>, eventLog: Pick<EventLog, 'expireMarks'>) {
    this.#numbers = numbers;
    this.#eventLog = eventLog;
  }

  /** The events of these marks are published, and have left the outboxes. */
  add(marks: readonly DedupeMark[]): void {
    for (const mark of marks) {
      const key = mark.kind === 'version' ? mark.widgetId : mark.eventId;
      const earlier = this.#marks.get(key);
      if (earlier?.kind === 'version' && mark.kind === 'version' && earlier.version > mark.version) continue;
      this.#marks.set(key, mark);
    }
  }

  /** Lets all marks expire that were added before the call. Throws `UnavailableError`, and keeps the marks. */
  async expire(): Promise<void> {
    if (this.#marks.size === 0) return;
    const marks = [...this.#marks.values()];
    this.#marks.clear();
    let done = 0;
    try {
      const { run } = await this.#numbers.takeNext();
      for (; done < marks.length; done += marksPerCall) {
        await this.#eventLog.expireMarks(marks.slice(done, done + marksPerCall), run);
      }
    } catch (error) {
      const added = [...this.#marks.values()];
      this.#marks.clear();
      this.add([...marks.slice(done), ...added]);
      throw error;
    }
  }
}
