import { readStream, type StreamOptions } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';

/** Reads until it has so many events of widgets. Returns all events. */
export async function readWidgetEvents(count: number, url: string | (() => string), options: StreamOptions = {}) {
  const events: StreamEvent[] = [];
  let widgetEvents = 0;
  for await (const event of readStream(url, options)) {
    events.push(event);
    if (isWidgetEvent(event)) widgetEvents += 1;
    if (widgetEvents === count) return events;
  }
  throw new Error('a stream has no end');
}

export const widgetIds = (events: readonly StreamEvent[]) => events.filter(isWidgetEvent).map(({ id }) => id);
