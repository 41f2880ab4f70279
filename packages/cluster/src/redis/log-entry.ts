import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type { WidgetEvent, WidgetEventType } from '@widget-service/shared/domain/widget-event.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';

/** An entry of the stream as Redis gives it: its id, and field names and values in turn. */
export type StreamEntry = [id: string, fields: string[]];

/**
 * The fields of an event, without those the append script adds: `e`, the epoch, and `p`, the milliseconds of the position
 * before where they are not the entry's own. Each is apart, so that a pod filters and frames without parsing: `i` event
 * id, `t` type, `w` widget, `s` state, `b` state before, `l` labels as JSON, `d` the finished JSON. What is null is left
 * out.
 */
export function toEntryFields(event: WidgetEvent): string[] {
  const fields = ['i', event.eventId, 't', event.type];
  if (event.widgetId !== null) fields.push('w', event.widgetId);
  if (event.state !== null) fields.push('s', event.state);
  if (event.stateBefore !== null) fields.push('b', event.stateBefore);
  if (event.labels !== null) fields.push('l', JSON.stringify(event.labels));
  fields.push('d', event.json);
  return fields;
}

/** The reverse. The entries are this service's own: what they hold is not checked again. */
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
