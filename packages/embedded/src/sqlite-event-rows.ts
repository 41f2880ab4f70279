import type { StatementSync } from 'node:sqlite';
import type { RowKind } from '@widget-service/shared/adapters/row-reader.ts';
import { logRecordShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetEventType } from '@widget-service/shared/domain/event-kind.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { DedupeMark, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { runLimits } from '@widget-service/shared/ports/run-registry.ts';
import type { Database, Expiring } from './database.ts';
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

export const eventRows: RowKind<EventRow, LogRecord> = {
  of: 'events',
  identify: ({ seq }) => seq,
  convert: toRecord,
  shape: logRecordShape,
};

/** The dedupe marks of the event log: they keep an event from being appended twice. */
export class SqliteDedupeMarks implements Expiring {
  readonly #db: Database;
  readonly #raiseWatermark: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #expireEvent: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#raiseWatermark = db.prepare(
      'INSERT INTO watermarks VALUES (?, ?) ON CONFLICT (widget_id) DO UPDATE ' +
        'SET version = excluded.version WHERE excluded.version > version',
    );
    this.#insertEvent = db.prepare('INSERT INTO appended_events VALUES (?, NULL) ON CONFLICT (event_id) DO NOTHING');
    this.#expireEvent = db.prepare('UPDATE appended_events SET expires_at = ? WHERE event_id = ?');
    this.#deleteExpired = db.prepare(
      'DELETE FROM appended_events WHERE event_id IN ' +
        '(SELECT event_id FROM appended_events WHERE expires_at <= ? LIMIT ?)',
    );
  }

  /**
   * Sets the mark and returns true if the event is new: if the version is above the widget's watermark, or if the event
   * has no mark. Otherwise changes nothing and returns false. Call it inside `Database.write`.
   */
  set(mark: DedupeMark): boolean {
    const { changes } =
      mark.kind === 'version'
        ? this.#raiseWatermark.run(mark.widgetId, mark.version)
        : this.#insertEvent.run(mark.eventId);
    return changes === 1;
  }

  /**
   * Lets the marks of event ids expire one hour (`runLimits.markLifetimeMs`) after `now`. Ignores watermarks: SQLite
   * keeps them forever, as one small row per widget.
   */
  async expire(marks: readonly DedupeMark[], now: Date): Promise<void> {
    const eventIds = marks.flatMap((mark) => (mark.kind === 'event' ? [mark.eventId] : []));
    if (eventIds.length === 0) return;
    const expiresAtMs = now.getTime() + runLimits.markLifetimeMs;
    const expireAll = () => {
      for (const eventId of eventIds) this.#expireEvent.run(expiresAtMs, eventId);
    };
    await this.#db.write(expireAll, { isSynced: false });
  }

  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteExpired, now.getTime());
  }
}
