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
 * How long the runs of a process share a number, in milliseconds. The age of a run counts from when its number was
 * taken, so this must be far below `runLimits.maxAgeMs` (ten minutes).
 */
const sharedForMs = 30_000;

/**
 * The run numbers of one process. A run needs a number that was taken before it reads its widgets, but not one of its
 * own: the event log uses numbers only to reject old runs and to order epochs. So the runs that start within 30 s share
 * one number.
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
   * Takes a new number, higher than every number that any process took before this call. The next runs share it. Throws
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
   * Makes the next run take a new number. Call it after a run has failed: the log may have rejected the number as too
   * old.
   */
  forget(run: number): void {
    if (this.#current?.run === run) this.#current = null;
  }
}

/**
 * How long the remembered position may be used without reading it again, in milliseconds. If another process records a
 * position within this time, this process notices it only after its append.
 */
const freshForMs = 20;

/**
 * The last recorded position (`RunRegistry`), cached by one process. Under load the process uses the position that it
 * has just recorded, and need not read it. If another process appends at the same time, two more calls verify the log:
 * see `record`.
 */
export class RecordedPosition {
  readonly #runs: Pick<RunRegistry, 'lastPosition' | 'recordPosition'>;
  readonly #eventLog: Pick<EventLog, 'inspect'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The latest position that this process has read or recorded. */
  #known: ComparablePosition | null = null;
  /** When `#known` was last known to be the stored position, on the monotonic clock. */
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

  /** Reads the position in the background if the cached one is too old, so that `get` need not wait. */
  prepare(): void {
    if (!this.#isFresh()) this.#read().catch(() => undefined);
  }

  /**
   * Returns the position that the next append must be checked against. Null if none is recorded. Throws
   * `UnavailableError`.
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
    // The stored position can be earlier than the known one: this process has just recorded a later one, or MongoDB has
    // lost writes. Then only the known position shows what the log must hold.
    this.#known = pickLatest(this.#known, stored);
    this.#knownAtMs = startedAtMs;
  }

  /**
   * Records `last`, the log's end after an append, in place of `expected`. The append has checked that the log was
   * complete up to `expected`, or it has started a new epoch.
   *
   * If another run has recorded a position meanwhile, the log may have lost events between the two appends. So the log
   * must still hold both positions. If it does, the later one is recorded. If it does not, throws `UnavailableError`:
   * no ledger row is marked, and the next run appends the events again. See ADR 8.
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
        // Forces `get` to read the position again: the log has lost the one that this process knew.
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
   * Returns whether the log covers the position: it holds the event there, or ends exactly there. A trimmed position
   * looks like a lost one, so it gives false, too. That is safe: the run starts again, and the dedupe marks skip the
   * events that the log has.
   */
  async #logStillCovers(position: LogPosition): Promise<boolean> {
    const inspection = await this.#eventLog.inspect(position);
    return inspection !== null && isCovered(position, inspection.extent, inspection.contains);
  }
}

/** Returns the later position. Two epochs with one run number have no order: then the stored one. */
function pickLatest(known: ComparablePosition | null, stored: ComparablePosition | null): ComparablePosition | null {
  if (known === null || stored === null) return known ?? stored;
  return known.epochRun > stored.epochRun || (known.epoch === stored.epoch && known.seq > stored.seq) ? known : stored;
}

/** How many marks one call lets expire: such a call takes Redis about a millisecond. */
const marksPerCall = 1_000;

/**
 * Collects the dedupe marks of published events, and lets them expire about every two seconds. A mark may expire only
 * under a run number higher than that of any run that may still append its event. Such a run took its number before it
 * read the event in the outbox, or its ledger row as unpublished. So a number that is taken after both is higher.
 *
 * If a process is killed, the marks that it has collected stay in the log for ever. This is harmless.
 */
export class ExpiringMarks {
  readonly #numbers: Pick<RunNumbers, 'takeNext'>;
  readonly #eventLog: Pick<EventLog, 'expireMarks'>;
  /** By widget id or event id. For a widget, only the mark of its highest version. */
  readonly #marks = new Map<string, DedupeMark>();

  constructor(numbers: Pick<RunNumbers, 'takeNext'>, eventLog: Pick<EventLog, 'expireMarks'>) {
    this.#numbers = numbers;
    this.#eventLog = eventLog;
  }

  /** Adds the marks of events that are published and have left their outboxes. */
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
