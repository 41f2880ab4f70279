import type { RowKind } from '@widget-service/shared/adapters/row-reader.ts';
import { logRecordShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetEventType } from '@widget-service/shared/domain/event-kind.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';

/** A stream entry as Redis returns it: its id, then alternating field names and values. */
export type StreamEntry = [id: string, fields: string[]];

/**
 * Returns the fields of an event. Each member has its own field, so that a pod filters and frames events without
 * parsing the event's JSON: `i` event id, `t` type, `w` widget id, `s` state, `b` state before, `l` labels as JSON, `d`
 * the whole event as JSON. Null members are omitted. `c`, the trace context, is there only if the event's trace is
 * sampled; older versions ignore it.
 *
 * `append.lua` adds two fields: `e`, the epoch, and `p`, the `ms` of the predecessor if it differs from the entry's
 * own.
 */
export function toEntryFields(event: WidgetEvent): string[] {
  const fields = ['i', event.eventId, 't', event.type];
  if (event.widgetId !== null) fields.push('w', event.widgetId);
  if (event.state !== null) fields.push('s', event.state);
  if (event.stateBefore !== null) fields.push('b', event.stateBefore);
  if (event.labels !== null) fields.push('l', JSON.stringify(event.labels));
  fields.push('d', event.json);
  if (event.traceContext !== undefined) fields.push('c', event.traceContext);
  return fields;
}

/** The entries that tails and streams get. */
export const logRows: RowKind<StreamEntry, LogRecord> = {
  of: 'log',
  identify: ([id]) => id,
  convert: toLogRecord,
  shape: logRecordShape,
};

/** Reads the fields of `toEntryFields` and `append.lua`. Does not validate. */
export function toLogRecord([id, fields]: StreamEntry): LogRecord {
  const values: Partial<Record<string, string>> = {};
  for (let i = 0; i + 1 < fields.length; i += 2) values[fields[i] ?? ''] = fields[i + 1] ?? '';
  const { ms, seq } = parseEntryId(id);
  return {
    epoch: values.e ?? '',
    ms,
    seq,
    previousMs: values.p === undefined ? ms : Number(values.p),
    event: {
      eventId: values.i ?? '',
      type: values.t as WidgetEventType,
      widgetId: values.w ?? null,
      state: (values.s as WidgetState | undefined) ?? null,
      stateBefore: (values.b as WidgetState | undefined) ?? null,
      labels: values.l === undefined ? null : (JSON.parse(values.l) as string[]),
      json: values.d ?? '',
      ...(values.c === undefined ? {} : { traceContext: values.c }),
    },
  };
}

export function toEntryId(position: { readonly ms: number; readonly seq: number }): string {
  return `${position.ms}-${position.seq}`;
}

function parseEntryId(id: string): { ms: number; seq: number } {
  const dash = id.indexOf('-');
  return { ms: Number(id.slice(0, dash)), seq: Number(id.slice(dash + 1)) };
}
