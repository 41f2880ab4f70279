import type { DedupeMark } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import type { Claim } from '@widget-service/shared/ports/widget-effects.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Database, WidgetDocument } from '../stores/database.ts';
import type { SimulatedPorts } from '../stores/open-simulated-ports.ts';

/** A guard in the event log may expire an hour after it was settled; who appends is to be younger than this by far. */
const runMaxMs = 10 * 60_000;

/**
 * Looks at each step of each run for what the rule that stands there keeps by itself. Several rules keep the same promise:
 * that one of them is gone is seen at its step, when what comes of it is still as it should be.
 */
export class RunWatch {
  readonly #database: Database;
  readonly #note: (misstep: string) => void;
  /** Per widget the versions that runs have made. */
  readonly #made = new Map<string, { readonly run: number; readonly version: number }[]>();
  readonly #numberedAtMs = new Map<number, number>();
  /** What was recorded when a run had read its outboxes. */
  readonly #recordedAtClaim = new Map<number, ComparablePosition | null>();

  constructor(database: Database, note: (misstep: string) => void) {
    this.#database = database;
    this.#note = note;
  }

  /** A run has just written to a widget. */
  noteEffect(run: number, { widget: { id, version }, fence }: WidgetDocument): void {
    if (run !== fence) this.#note(`run ${run} changes ${id}, which run ${fence} has claimed`);
    this.#made.set(id, [...(this.#made.get(id) ?? []), { run, version }]);
  }

  /** A run has just taken out of an outbox what it has published. */
  notePull(run: number, { widget: { id }, fence }: WidgetDocument): void {
    if (run !== fence) this.#note(`run ${run} empties the outbox of ${id}, which run ${fence} has claimed`);
  }

  /** From now on these expire. */
  noteSettled(guards: readonly DedupeMark[]): void {
    for (const guard of guards) {
      if (guard.kind === 'event') continue;
      const { widgetId, version } = guard;
      const { outbox } = this.#database.widgets.get(widgetId) ?? { outbox: [] };
      if (outbox.some(({ after }) => after.version <= version)) {
        this.#note(`the guard of ${widgetId} is to expire, and its outbox still holds version ${version}`);
      }
    }
  }

  /** The ports of one process, under this watch. */
  over(ports: SimulatedPorts, clock: Pick<Clock, 'monotonicMs'>): SimulatedPorts {
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
          this.#noteClaim(run, claim);
          return claim;
        },
      },
      eventLog: {
        ...eventLog,
        append: (run, recorded, events) => {
          this.#noteAppend(run, recorded, clock.monotonicMs());
          return eventLog.append(run, recorded, events);
        },
      },
    };
  }

  #noteClaim(run: number, { claimed }: Claim): void {
    this.#recordedAtClaim.set(run, this.#database.register.lastPosition);
    for (const { widget } of claimed) {
      const later = this.#made.get(widget.id)?.find((made) => made.run < run && made.version > widget.version);
      if (later !== undefined) this.#note(`run ${later.run} changes ${widget.id} after run ${run} has read it`);
    }
  }

  #noteAppend(run: number, recorded: ComparablePosition | null, nowMs: number): void {
    const ageMs = nowMs - (this.#numberedAtMs.get(run) ?? nowMs);
    if (ageMs > runMaxMs) this.#note(`run ${run} appends when it is ${ageMs} ms old`);
    const known = this.#recordedAtClaim.get(run) ?? null;
    if (known !== null && isLower(recorded, known)) {
      this.#note(`run ${run} has the log checked against a position lower than the one recorded when it read`);
    }
  }
}

function isLower(a: ComparablePosition | null, b: ComparablePosition): boolean {
  if (a === null) return true;
  return a.epochRun < b.epochRun || (a.epochRun === b.epochRun && a.seq < b.seq);
}
