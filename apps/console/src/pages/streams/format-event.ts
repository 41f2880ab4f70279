import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import type { StreamEvent } from '@widget-service/client/stream/stream-event.ts';

/** The event as JSON to read, with its type and position, and with every digit that the stream has sent. */
export function formatEvent(event: StreamEvent): string {
  const { json, type } = event;
  const position = event.type === 'stream.closing' ? {} : { position: event.position };
  return formatExactJson({ ...(parseExactJson(json) as object), type, ...position }, 2);
}
