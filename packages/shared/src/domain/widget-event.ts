import type { Delivery, HookKind } from './hook-event.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import type { Widget, WidgetState } from './widget.ts';

export const widgetEventTypes = [
  'widget.created',
  'widget.updated',
  'widget.retired',
] as const satisfies `widget.${HookKind}`[];
export type WidgetEventType = (typeof widgetEventTypes)[number];

/** One event as the event log keeps it: finished JSON, and beside it what a pod filters by without parsing. */
export interface WidgetEvent {
  readonly eventId: string;
  readonly type: WidgetEventType;
  /** The id the hook named, also of a widget that is not known. */
  readonly widgetId: string | null;
  /** Null when no known widget is concerned; so are the next two. */
  readonly state: WidgetState | null;
  readonly stateBefore: WidgetState | null;
  readonly labels: readonly string[] | null;
  /** One CloudEvents 1.0 object in the JSON event format, on one line. */
  readonly json: string;
}

const apiSource = '/api/v1/widgets';

/** The event of an outbox entry; `widget` supplies the members that never change. */
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
      source: entry.integrationId === null ? apiSource : integrationSource(entry.integrationId),
      stateChanged: entry.stateBefore !== snapshot.state,
      widgetJson: formatSnapshot(snapshot),
    }),
  };
}

/** The event of a hook that concerns no known widget: it has no effect, and is told all the same. */
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
      source: integrationSource(delivery.integrationId),
      late: false,
      stateChanged: false,
      widgetJson: 'null',
    }),
  };
}

function integrationSource(integrationId: string): string {
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

/** Written by hand around the payload's own text, which must come out as it came in. */
function formatCloudEvent(parts: CloudEventParts): string {
  const subject = parts.widgetId === null ? '' : `"subject":"${parts.widgetId}",`;
  return (
    `{"specversion":"1.0","id":"${parts.eventId}","source":"${parts.source}","type":"widget.${parts.kind}",${subject}` +
    `"time":"${parts.occurredAt}","datacontenttype":"application/json","data":{"origin":"${parts.origin}",` +
    `"receivedAt":"${parts.receivedAt.toISOString()}","late":${parts.late},"stateChanged":${parts.stateChanged},` +
    `"widget":${parts.widgetJson},"payload":${parts.payload ?? 'null'}}}`
  );
}

/** The widget as subscribers see it: never the owner's e-mail, because a stream's address is a bearer secret. */
function formatSnapshot(widget: Widget): string {
  const owner = widget.owner === null ? null : { userId: widget.owner.userId, notify: widget.owner.notify };
  return JSON.stringify({
    id: widget.id,
    name: widget.name,
    state: widget.state,
    labels: widget.labels,
    owner,
    createdAt: widget.createdAt,
    updatedAt: widget.updatedAt,
    retiredAt: widget.retiredAt,
    lastEventAt: widget.lastEventAt,
    version: widget.version,
  });
}
