import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { EventLog, EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { Notifier } from './notifier.ts';

const waitMs = 2000;

/** Waits for the bell that every append rings. */
export class SqliteEventTail implements EventTail {
  readonly #log: Pick<EventLog, 'readAfter'>;
  readonly #appended: Notifier;
  readonly #closing = new AbortController();

  constructor(log: Pick<EventLog, 'readAfter'>, appended: Notifier) {
    this.#log = log;
    this.#appended = appended;
  }

  async next(after: LogPosition, limit: number): Promise<LogRecord[]> {
    const { signal } = this.#closing;
    const endAt = performance.now() + waitMs;
    for (;;) {
      if (signal.aborted) throw new UnavailableError('event tail: closed');
      const records = await this.#log.readAfter(after, limit);
      const restMs = endAt - performance.now();
      if (records.length > 0 || restMs <= 0) return records;
      // The read and this lie in one turn of the event loop, and an append needs another: none is missed in between.
      await this.#appended.wait(restMs, signal);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }
}
