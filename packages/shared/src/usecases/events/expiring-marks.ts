import type { DedupeMark, EventLog } from '../../ports/event-log.ts';
import type { RunNumbers } from './run-numbers.ts';

/** How many marks one call lets expire. It keeps the log busy for about a millisecond. */
const marksPerCall = 1_000;

export interface ExpiringMarksDeps {
  readonly numbers: Pick<RunNumbers, 'takeNext'>;
  readonly eventLog: Pick<EventLog, 'expireMarks'>;
}

/**
 * The dedupe marks of published events, until the log lets them expire. That needs a run number that is higher than
 * those of all runs that may still append the events. Each of these runs has read the events before they left the
 * outbox, or has found their ledger rows unpublished. So a number that is taken after that is high enough. One number
 * serves all marks of about two seconds.
 *
 * Marks that a process had not let expire when it was killed stay in the log: harmless.
 */
export class ExpiringMarks {
  readonly #deps: ExpiringMarksDeps;
  /** By widget or event. Of a widget only the highest version. */
  readonly #marks = new Map<string, DedupeMark>();

  constructor(deps: ExpiringMarksDeps) {
    this.#deps = deps;
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
      const { run } = await this.#deps.numbers.takeNext();
      for (; done < marks.length; done += marksPerCall) {
        await this.#deps.eventLog.expireMarks(marks.slice(done, done + marksPerCall), run);
      }
    } catch (error) {
      const added = [...this.#marks.values()];
      this.#marks.clear();
      this.add([...marks.slice(done), ...added]);
      throw error;
    }
  }
}
