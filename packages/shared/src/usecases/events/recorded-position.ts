import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { isCovered } from '../../domain/stream-start.ts';
import type { EventLog } from '../../ports/event-log.ts';
import type { ComparablePosition, RunRegistry } from '../../ports/run-registry.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface RecordedPositionDeps {
  readonly runs: Pick<RunRegistry, 'lastPosition' | 'recordPosition'>;
  readonly eventLog: Pick<EventLog, 'inspect'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
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
  readonly #deps: RecordedPositionDeps;
  /** The latest position that this process has read or recorded. */
  #known: ComparablePosition | null = null;
  /** On the monotonic clock: the stored position was `#known` at this time, or later. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(deps: RecordedPositionDeps) {
    this.#deps = deps;
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
    return this.#deps.clock.monotonicMs() - this.#knownAtMs < freshForMs;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const startedAtMs = this.#deps.clock.monotonicMs();
    const stored = await this.#deps.runs.lastPosition();
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
    let startedAtMs = this.#deps.clock.monotonicMs();
    while (!(await this.#deps.runs.recordPosition(last, recorded))) {
      startedAtMs = this.#deps.clock.monotonicMs();
      recorded = await this.#deps.runs.lastPosition();
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
    const inspection = await this.#deps.eventLog.inspect(position);
    return inspection !== null && isCovered(position, inspection.extent, inspection.contains);
  }
}

/** Two epochs of one number are no evidence of their order: then the stored position counts. */
function pickLatest(known: ComparablePosition | null, stored: ComparablePosition | null): ComparablePosition | null {
  if (known === null || stored === null) return known ?? stored;
  return known.epochRun > stored.epochRun || (known.epoch === stored.epoch && known.seq > stored.seq) ? known : stored;
}
