import type { DedupeMark } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import type { Claim } from '@widget-service/shared/ports/widget-effects.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Database, WidgetDocument } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';

/**
 * A dedupe mark in the event log may disappear an hour after `expireMarks`. A run that appends must be much younger.
 */
const runMaxMs = runLimits.maxAgeMs;

/**
 * Checks each step of each run for the rule that applies there. Several rules keep the same promise. So the removal of
 * one shows at its own step, even if the final result is still correct.
 */
export class RunWatch {
  readonly #database: Database;
  readonly #report: (violation: string) => void;
  /** Per widget, the versions that runs have written. */
  readonly #writtenVersions = new Map<string, { readonly run: number; readonly version: number }[]>();
  readonly #numberedAtMs = new Map<number, number>();
  /** The last recorded position when a run had claimed its widgets. */
  readonly #recordedAtClaim = new Map<number, ComparablePosition | null>();

  constructor(database: Database, report: (violation: string) => void) {
    this.#database = database;
    this.#report = report;
  }

  /** A run has written a widget. */
  checkEffect(run: number, { widget: { id, version }, fence }: WidgetDocument): void {
    if (run !== fence) this.#report(`run ${run} changes ${id}, which run ${fence} has claimed`);
    this.#writtenVersions.set(id, [...(this.#writtenVersions.get(id) ?? []), { run, version }]);
  }

  /** A run has removed published entries from an outbox. */
  checkRemoval(run: number, { widget: { id }, fence }: WidgetDocument): void {
    if (run !== fence) this.#report(`run ${run} empties the outbox of ${id}, which run ${fence} has claimed`);
  }

  /** These dedupe marks expire from now on. */
  checkExpiry(marks: readonly DedupeMark[]): void {
    for (const mark of marks) {
      if (mark.kind === 'event') continue;
      const { widgetId, version } = mark;
      const { outbox } = this.#database.widgets.get(widgetId) ?? { outbox: [] };
      if (outbox.some(({ after }) => after.version <= version)) {
        this.#report(`the watermark of ${widgetId} will expire, but its outbox still holds version ${version}`);
      }
    }
  }

  /** Returns the ports of one process, with checks. */
  wrap(ports: SimulatedPorts, clock: Pick<Clock, 'monotonicMs'>): SimulatedPorts {
    const { runs, effects, eventLog } = ports;
    return {
      ...ports,
      runs: {
        ...runs,
        startRun: async () => {
          const numbered = await runs.startRun();
          this.#numberedAtMs.set(numbered.run, clock.monotonicMs());
          return numbered;
        },
      },
      effects: {
        ...effects,
        claim: async (run, widgetIds) => {
          const claim = await effects.claim(run, widgetIds);
          this.#checkClaim(run, claim);
          return claim;
        },
      },
      eventLog: {
        ...eventLog,
        append: (run, recorded, events) => {
          this.#checkAppend(run, recorded, clock.monotonicMs());
          return eventLog.append(run, recorded, events);
        },
      },
    };
  }

  #checkClaim(run: number, { claimed }: Claim): void {
    this.#recordedAtClaim.set(run, this.#database.runRegistry.lastPosition);
    for (const { widget } of claimed) {
      const later = this.#writtenVersions
        .get(widget.id)
        ?.find((written) => written.run < run && written.version > widget.version);
      if (later !== undefined) this.#report(`run ${later.run} changes ${widget.id} after run ${run} has read it`);
    }
  }

  #checkAppend(run: number, recorded: ComparablePosition | null, nowMs: number): void {
    const ageMs = nowMs - (this.#numberedAtMs.get(run) ?? nowMs);
    if (ageMs > runMaxMs) this.#report(`run ${run} appends when it is ${ageMs} ms old`);
    const known = this.#recordedAtClaim.get(run) ?? null;
    if (known !== null && isLower(recorded, known)) {
      this.#report(`run ${run} has the log checked against a lower position than was recorded at its claim`);
    }
  }
}

function isLower(a: ComparablePosition | null, b: ComparablePosition): boolean {
  if (a === null) return true;
  return a.epochRun < b.epochRun || (a.epochRun === b.epochRun && a.seq < b.seq);
}
