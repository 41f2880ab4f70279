import { storePositionIn } from '@widget-service/client/stream/open-stream.ts';
import { createEventSourceTransport } from '@widget-service/client/stream/transport.ts';
import { EventSource } from 'eventsource';
import { describe, expect, test } from 'vitest';
import { readWidgetEvents, widgetIds } from '../../drivers/streams/read-widget-events.ts';
import {
  block,
  openBlock,
  problemOf,
  startScriptedStreamServer,
  streamOf,
  widgetBlock,
} from '../../drivers/streams/scripted-stream-server.ts';

const transport = createEventSourceTransport(EventSource);

describe('a stream over an EventSource', () => {
  test('delivers events, and continues at the last position after a break', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), widgetBlock('a', 'p2'), block('stream.closing', { reason: 'draining' })]),
      streamOf([openBlock('p2'), widgetBlock('b', 'p3')], 'stay'),
    ]);
    const events = await readWidgetEvents(2, server.url, { transport });
    expect(widgetIds(events)).toEqual(['a', 'b']);
    expect(events).toContainEqual({ type: 'stream.closing', reason: 'draining' });
    // One request per connection: the EventSource itself never connects again.
    expect(server.requests.map((query) => query.get('lastEventId'))).toEqual([null, 'p2']);
  }, 20_000);

  test('connects again when the stream could not be opened', async () => {
    await using server = await startScriptedStreamServer([
      problemOf(503, 'unavailable'),
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    expect(widgetIds(await readWidgetEvents(1, server.url, { transport }))).toEqual(['a']);
  }, 20_000);

  test('is never silent: it does not see heartbeats', async () => {
    await using server = await startScriptedStreamServer([
      (response) => {
        streamOf([openBlock('p1', { heartbeatSeconds: 0.02 })], 'stay')(response, response.req);
        setTimeout(() => response.write(widgetBlock('a', 'p2')), 200);
      },
    ]);
    const states: string[] = [];
    await readWidgetEvents(1, server.url, { transport, onState: ({ name }) => states.push(name) });
    expect(states).toEqual(['connecting', 'open']);
  });

  test('ends when its signal is aborted', async () => {
    await using server = await startScriptedStreamServer([streamOf([openBlock('p1')], 'stay')]);
    const abort = new AbortController();
    const reading = readWidgetEvents(1, server.url, {
      transport,
      signal: abort.signal,
      onState: ({ name }) => {
        if (name === 'open') setImmediate(() => abort.abort(new Error('enough')));
      },
    });
    await expect(reading).rejects.toThrow('enough');
  });
});

test('a position is kept in a storage of the browser', async () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  await using server = await startScriptedStreamServer([
    streamOf([openBlock('p1'), widgetBlock('a', 'p2'), widgetBlock('b', 'p3')], 'stay'),
  ]);
  await readWidgetEvents(2, server.url, { positions: storePositionIn(storage, 'my screen') });
  expect([...stored]).toEqual([['my screen', 'p2']]);
  await readWidgetEvents(1, server.url, { positions: storePositionIn(storage, 'my screen') });
  expect(server.requests[1]?.get('lastEventId')).toBe('p2');
});
