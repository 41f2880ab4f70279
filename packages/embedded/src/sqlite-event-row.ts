import type { StatementSync } from 'node:sqlite';
import type { LinkedPosition } from '@widget-service/shared/domain/log-position.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { WidgetEvent, WidgetEventType } from '@widget-service/shared/domain/widget-event.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { Database } from './database.ts';
import { parseLabels, serializeLabels } from './widget-row.ts';

/** What a row takes beside its JSON, about. */
const rowBytes = 200;

export interface EventRow {
  readonly seq: number;
  readonly ms: number;
  readonly event_id: string;
  readonly type: WidgetEventType;
  readonly widget_id: string | null;
  readonly state: WidgetState | null;
  readonly state_before: WidgetState | null;
  readonly labels: string | null;
  readonly json: string;
  readonly after_ms: number | null;
}

export function prepareEventInsert(db: Database): StatementSync {
  return db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
}

/** In a transaction, with the statement of `prepareEventInsert`. Returns the bytes the event counts for. */
export function insertEvent(
  statement: StatementSync,
  { seq, ms, previousMs }: Omit<LinkedPosition, 'epoch'>,
  event: WidgetEvent,
): number {
  const bytes = Buffer.byteLength(event.json) + rowBytes;
  statement.run(
    seq,
    ms,
    bytes,
    event.eventId,
    event.type,
    event.widgetId,
    event.state,
    event.stateBefore,
    event.labels === null ? null : serializeLabels(event.labels),
    event.json,
    previousMs,
  );
  return bytes;
}

export function toRecord(epoch: string, row: EventRow): LogRecord {
  return {
    epoch,
    ms: row.ms,
    seq: row.seq,
    previousMs: row.after_ms,
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
