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

/** What a person has pasted: the URL of a stream at the address of this page, one at another address, or neither. */
type PastedUrl =
  | { readonly kind: 'own'; readonly url: string }
  | { readonly kind: 'other'; readonly url: string; readonly host: string }
  | { readonly kind: 'wrong' };

/** Reads the URL of a stream that a person has pasted. `ownOrigin`: that of this page. */
export function readStreamUrl(text: string, ownOrigin: string): PastedUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return { kind: 'wrong' };
  if (!/\/api\/v1\/events\/[^/]+$/.test(url.pathname)) return { kind: 'wrong' };
  if (url.origin === ownOrigin) return { kind: 'own', url: url.href };
  return { kind: 'other', url: url.href, host: url.host };
}
