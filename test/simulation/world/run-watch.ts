import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { DedupeMark } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
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
  readonly #versions = new Map<string, number>();
  readonly #numberedAtMs = new Map<number, number>();
  /** The epoch of each number that has started one. */
  readonly #epochs = new Map<number, string>();

  constructor(database: Database, report: (violation: string) => void) {
    this.#database = database;
    this.#report = report;
  }

  /** A run or a create has written a widget, and these entries with it. */
  checkEffect({ widget: { id, version } }: WidgetDocument, entries: readonly OutboxEntry[]): void {
    const before = this.#versions.get(id) ?? 0;
    if (version !== before + entries.length) this.#report(`${id} changes from version ${before} to ${version}`);
    this.#versions.set(id, version);
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
    const { runs, ledger, outboxes, eventLog } = ports;
    /** The latest position that this process has recorded. */
    let recordedHere: ComparablePosition | null = null;
    /** Per version or event: the highest number that was taken when this process knew that nobody loads it again. */
    const highestAtRemoval = new Map<string, number>();
    const noteRemoval = (keys: readonly string[]) => {
      for (const key of keys) if (!highestAtRemoval.has(key)) highestAtRemoval.set(key, this.#database.runRegistry.run);
    };
    return {
      ...ports,
      runs: {
        ...runs,
        startRun: async () => {
          const numbered = await runs.startRun();
          this.#numberedAtMs.set(numbered.run, clock.monotonicMs());
          return numbered;
        },
        recordPosition: async (position, expected) => {
          const isRecorded = await runs.recordPosition(position, expected);
          if (isRecorded) recordedHere = position;
          return isRecorded;
        },
      },
      ledger: {
        ...ledger,
        markPublished: async (deliveries, publishedAt) => {
          await ledger.markPublished(deliveries, publishedAt);
          noteRemoval(deliveries.map(({ eventId }) => eventId));
        },
      },
      outboxes: {
        ...outboxes,
        removePublished: async (published) => {
          await outboxes.removePublished(published);
          noteRemoval(published.map(({ widgetId, version }) => `${widgetId} ${version}`));
        },
      },
      eventLog: {
        ...eventLog,
        expireMarks: (marks, run) => {
          for (const mark of marks) {
            const id = mark.kind === 'event' ? mark.eventId : mark.widgetId;
            const highest = highestAtRemoval.get(id) ?? 0;
            if (run <= highest)
              this.#report(`the mark of ${id} expires under ${run}, but run ${highest} may append it`);
          }
          return eventLog.expireMarks(marks, run);
        },
        append: async (run, recorded, events) => {
          this.#checkAppend(run, clock.monotonicMs());
          if (recordedHere !== null && isLower(recorded, recordedHere)) {
            this.#report(`run ${run} has the log checked against a lower position than its process has recorded`);
          }
          const result = await eventLog.append(run, recorded, events);
          this.#checkEpoch(result.last);
          return result;
        },
      },
    };
  }

  /** The number orders the epochs: no two may have the same one. */
  #checkEpoch({ epoch, epochRun }: ComparablePosition): void {
    const other = this.#epochs.get(epochRun) ?? epoch;
    if (other !== epoch) this.#report(`run ${epochRun} has started two epochs: ${other} and ${epoch}`);
    this.#epochs.set(epochRun, epoch);
  }

  #checkAppend(run: number, nowMs: number): void {
    const ageMs = nowMs - (this.#numberedAtMs.get(run) ?? nowMs);
    if (ageMs > runMaxMs) this.#report(`run ${run} appends when it is ${ageMs} ms old`);
  }
}

function isLower(a: ComparablePosition | null, b: ComparablePosition): boolean {
  if (a === null) return true;
  return a.epochRun < b.epochRun || (a.epochRun === b.epochRun && a.seq < b.seq);
}
