import type { StatementSync } from 'node:sqlite';
import type { DedupeMark } from '@widget-service/shared/ports/event-log.ts';
import type { Database } from './database.ts';

const settledMs = 3_600_000;

/** What keeps an event from being appended to the log twice. */
export class SqliteDedupeMarks {
  readonly #db: Database;
  readonly #raiseWatermark: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #settleEvent: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#raiseWatermark = db.prepare(
      'INSERT INTO watermarks VALUES (?, ?) ON CONFLICT (widget_id) DO UPDATE ' +
        'SET version = excluded.version WHERE excluded.version > version',
    );
    this.#insertEvent = db.prepare('INSERT INTO appended_events VALUES (?, NULL) ON CONFLICT (event_id) DO NOTHING');
    this.#settleEvent = db.prepare('UPDATE appended_events SET expires_at = ? WHERE event_id = ?');
    this.#deleteExpired = db.prepare(
      'DELETE FROM appended_events WHERE event_id IN ' +
        '(SELECT event_id FROM appended_events WHERE expires_at <= ? LIMIT ?)',
    );
  }

  /** In a transaction: true when the event is new, and from then on false. */
  set(guard: DedupeMark): boolean {
    const { changes } =
      guard.kind === 'version'
        ? this.#raiseWatermark.run(guard.widgetId, guard.version)
        : this.#insertEvent.run(guard.eventId);
    return changes === 1;
  }

  /** A watermark is left as it is: it is one small row per widget, and needs no end. */
  expire(guards: readonly DedupeMark[], now: Date): Promise<void> {
    const eventIds = guards.flatMap((guard) => (guard.kind === 'event' ? [guard.eventId] : []));
    if (eventIds.length === 0) return Promise.resolve();
    return this.#db.write(() => {
      for (const eventId of eventIds) this.#settleEvent.run(now.getTime() + settledMs, eventId);
    });
  }

  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInSteps(this.#deleteExpired, now.getTime());
  }
}
