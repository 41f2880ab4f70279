import type { Delivery } from './delivery.ts';
import type { HookKind, WidgetEventType } from './event-kind.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { parseUtcTimestamp } from './timestamp.ts';
import type { TraceContext } from './trace-context.ts';
import type { Widget, WidgetState } from './widget.ts';

/** One event as the event log stores it: the final JSON, and the members by which a pod filters without parsing it. */
export interface WidgetEvent {
  readonly eventId: string;
  readonly type: WidgetEventType;
  /** The id that the hook named, even if no widget has it. */
  readonly widgetId: string | null;
  /** Null for an event without a widget. */
  readonly state: WidgetState | null;
  /** Null for an event without a widget, and for a creation over the API. */
  readonly stateBefore: WidgetState | null;
  /** Null for an event without a widget. */
  readonly labels: readonly string[] | null;
  /** One CloudEvents 1.0 object in the JSON event format, on one line. */
  readonly json: string;
  /**
   * The span that continues with this event; left out unless its trace is sampled. It is not part of `json`: clients do
   * not get it. An event log may forget it.
   */
  readonly traceContext?: TraceContext;
}

const apiSource = '/api/v1/widgets';

/** Builds the event of an outbox entry. `widget` supplies the members that never change. */
export function toWidgetEvent(widget: Widget, entry: OutboxEntry): WidgetEvent {
  const snapshot = { ...widget, ...entry.after };
  return {
    eventId: entry.eventId,
    type: `widget.${entry.kind}`,
    widgetId: widget.id,
    state: snapshot.state,
    stateBefore: entry.stateBefore,
    labels: widget.labels,
    json: formatCloudEvent({
      ...entry,
      widgetId: widget.id,
      origin: entry.integrationId === null ? 'api' : 'hook',
      source: entry.integrationId === null ? apiSource : formatIntegrationSource(entry.integrationId),
      stateChanged: entry.stateBefore !== snapshot.state,
      widgetJson: formatSnapshot(snapshot),
    }),
  };
}

/** Builds the event of a delivery without a widget: it has no effect, but still becomes an event. */
export function toEventWithoutWidget(delivery: Delivery): WidgetEvent {
  return {
    eventId: delivery.eventId,
    type: `widget.${delivery.kind}`,
    widgetId: delivery.widgetId,
    state: null,
    stateBefore: null,
    labels: null,
    json: formatCloudEvent({
      ...delivery,
      origin: 'hook',
      source: formatIntegrationSource(delivery.integrationId),
      late: false,
      stateChanged: false,
      widgetJson: 'null',
    }),
  };
}

function formatIntegrationSource(integrationId: string): string {
  return `/api/v1/integrations/${integrationId}`;
}

interface CloudEventParts {
  readonly eventId: string;
  readonly source: string;
  readonly kind: HookKind;
  readonly widgetId: string | null;
  readonly occurredAt: string;
  readonly origin: 'api' | 'hook';
  readonly receivedAt: Date;
  readonly late: boolean;
  readonly stateChanged: boolean;
  readonly widgetJson: string;
  readonly payload: string | null;
}

/**
 * Concatenates the JSON by hand, because the payload must keep its own text byte for byte. No other value contains a
 * character that JSON escapes: they are ids, times and fixed words.
 */
function formatCloudEvent(parts: CloudEventParts): string {
  const subject = parts.widgetId === null ? '' : `"subject":"${parts.widgetId}",`;
  return (
    `{"specversion":"1.0","id":"${parts.eventId}","source":"${parts.source}","type":"widget.${parts.kind}",${subject}` +
    `"time":"${parts.occurredAt}","datacontenttype":"application/json","data":{"origin":"${parts.origin}",` +
    `"receivedAt":"${parts.receivedAt.toISOString()}","late":${parts.late},"stateChanged":${parts.stateChanged},` +
    `"widget":${parts.widgetJson},"payload":${parts.payload ?? 'null'}}}`
  );
}

const receivedAtPattern = /"receivedAt":"([^"]+)"/;

/**
 * Returns when the service received the hook or creation of this event, in milliseconds since the Unix epoch. Reads it
 * from the text, because a pod does not parse events. Nothing that a caller wrote comes before it. Null: the event was
 * written by a version with another form.
 */
export function readReceivedAtMs({ json }: Pick<WidgetEvent, 'json'>): number | null {
  return parseUtcTimestamp(receivedAtPattern.exec(json)?.[1] ?? '');
}

/**
 * Formats the widget for subscribers, without the owner's e-mail: anyone with a stream's address can read the stream.
 */
function formatSnapshot(widget: Widget): string {
  const { id, name, state, labels, createdAt, updatedAt, retiredAt, lastEventAt, version } = widget;
  const owner = widget.owner === null ? null : { userId: widget.owner.userId, notify: widget.owner.notify };
  const snapshot = { id, name, state, labels, owner, createdAt, updatedAt, retiredAt, lastEventAt, version };
  return JSON.stringify(snapshot satisfies Readonly<Record<keyof Widget, unknown>>);
}
