import type { StatementSync } from 'node:sqlite';
import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { logRecordShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetEventType } from '@widget-service/shared/domain/event-kind.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { parseLabels, serializeLabels } from './sqlite-values.ts';

/** About what a row of `events` occupies in addition to its JSON. */
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
