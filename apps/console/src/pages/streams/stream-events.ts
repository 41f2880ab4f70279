import type { components } from '@widget-service/client/interface.ts';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import type { StreamEvent, WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';

/** Whether a stream with this filter sends the event. The service decides by the same rules. */
export function eventPasses(
  { type, subject, data }: WidgetStreamEvent,
  { types, widgetIds, states, labels }: components['schemas']['NewEventFilter'],
): boolean {
  const { widget, stateChanged, origin } = data;
  // The state before counts, too. There are two states, and a creation over the API had none before.
  const otherStates = stateChanged && origin === 'hook' ? ['active', 'retired'] : [];
  return (
    isAmong(types, [type]) &&
    isAmong(widgetIds, subject == null ? [] : [subject]) &&
    isAmong(states, widget === null ? [] : [widget.state, ...otherStates]) &&
    isAmong(labels, widget?.labels ?? [])
  );
}

/** Null or nothing lets everything through. */
function isAmong(wanted: readonly string[] | null | undefined, values: readonly string[]): boolean {
  return !wanted || values.some((value) => wanted.includes(value));
}

/** The event as JSON to read, with its type and position, and with every digit that the stream has sent. */
export function formatEvent(event: StreamEvent): string {
  const { json, type } = event;
  const position = event.type === 'stream.closing' ? {} : { position: event.position };
  return formatExactJson({ ...(parseExactJson(json) as object), type, ...position }, 2);
}
