import type { StatementSync } from 'node:sqlite';
import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { logRecordShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetEventType } from '@widget-service/shared/domain/event-kind.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { DedupeMark, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import type { Database } from './database.ts';
import { parseLabels, serializeLabels } from './sqlite-values.ts';

/** About how many bytes a row of `events` occupies besides its JSON. */
const rowOverheadBytes = 200;

/** A row of `events`, without its bytes, and the epoch of the log. */
export interface EventRow {
  readonly epoch: string;
  readonly seq: number;
  readonly ms: number;
  readonly previous_ms: number;
  readonly event_id: string;
  readonly type: WidgetEventType;
  readonly widget_id: string | null;
  readonly state: WidgetState | null;
  readonly state_before: WidgetState | null;
  readonly labels: string | null;
  readonly json: string;
}

export function createEventReader(onWarning: OnWarning | undefined) {
  const identify = ({ seq }: EventRow) => seq;
  return createRowReader({ of: 'events', identify, convert: toRecord, shape: logRecordShape, onWarning });
}

/** Returns what the event counts toward the limit on bytes. */
export function insertEvent(statement: StatementSync, { seq, ms, previousMs, event }: LogRecord): number {
  const bytes = Buffer.byteLength(event.json) + rowOverheadBytes;
  const labels = event.labels === null ? null : serializeLabels(event.labels);
  const { eventId, type, widgetId, state, stateBefore, json } = event;
  statement.run(seq, ms, previousMs, bytes, eventId, type, widgetId, state, stateBefore, labels, json);
  return bytes;
}

function toRecord(row: EventRow): LogRecord {
  return {
    epoch: row.epoch,
    ms: row.ms,
    seq: row.seq,
    previousMs: row.previous_ms,
    event: {
      eventId: row.event_id,
      type: row.type,
      widgetId: row.widget_id,
      state: row.state,
      stateBefore: row.state_before,
      labels: row.labels === null ? null : parseLabels(row.labels),
      json: row.json,
    },
  };
}

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
