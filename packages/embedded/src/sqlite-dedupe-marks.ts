import type { DedupeMark } from '@widget-service/shared/ports/event-log.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import type { Database } from './database.ts';

/** The dedupe marks of the event log: they keep an event from being appended twice. */
export function createSqliteDedupeMarks(db: Database) {
  const raiseWatermark = db.prepare(
    'INSERT INTO watermarks VALUES (?, ?) ON CONFLICT (widget_id) DO UPDATE ' +
      'SET version = excluded.version WHERE excluded.version > version',
  );
  const insertEvent = db.prepare('INSERT INTO appended_events VALUES (?, NULL) ON CONFLICT (event_id) DO NOTHING');
  const expireEvent = db.prepare('UPDATE appended_events SET expires_at = ? WHERE event_id = ?');
  const deleteExpired = db.prepare(
    'DELETE FROM appended_events WHERE event_id IN ' +
      '(SELECT event_id FROM appended_events WHERE expires_at <= ? LIMIT ?)',
  );

  return {
    /**
     * Sets the mark and returns true if the event is new: if the version is above the widget's watermark, or if the
     * event has no mark. Otherwise changes nothing and returns false. Call it inside `Database.write`.
     */
    set: (mark: DedupeMark): boolean => {
      const { changes } =
        mark.kind === 'version' ? raiseWatermark.run(mark.widgetId, mark.version) : insertEvent.run(mark.eventId);
      return changes === 1;
    },
    /**
     * Lets the marks of event ids expire one hour (`runLimits.markLifetimeMs`) after `now`. Ignores watermarks: SQLite
     * keeps them forever, as one small row per widget.
     */
    expire: (marks: readonly DedupeMark[], now: Date): Promise<void> => {
      const eventIds = marks.flatMap((mark) => (mark.kind === 'event' ? [mark.eventId] : []));
      if (eventIds.length === 0) return Promise.resolve();
      const expiresAtMs = now.getTime() + runLimits.markLifetimeMs;
      const expireAll = () => {
        for (const eventId of eventIds) expireEvent.run(expiresAtMs, eventId);
      };
      return db.write(expireAll, { isSynced: false });
    },
    /** Deletes the marks that have expired at `now`. */
    removeExpired: (now: Date): Promise<void> => db.deleteInBatches(deleteExpired, now.getTime()),
  };
}
