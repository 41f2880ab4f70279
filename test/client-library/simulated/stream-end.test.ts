import { readStream } from '@widget-service/client/stream/read-stream.ts';
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

describe('the end of a stream', () => {
  test('ends with a typed error when the service answers 404', async () => {
    await using server = await startScriptedStreamServer([problemOf(404, 'stream-not-found')]);
    await expect(readWidgetEvents(1, server.url)).rejects.toMatchObject({
      name: 'StreamEndedError',
      reason: 'not-found',
      problem: { code: 'stream-not-found' },
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each(['revoked', 'expired'] as const)('ends after stream.closing with %s, which it delivers', async (reason) => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), block('stream.closing', { reason })]),
    ]);
    const types: string[] = [];
    const read = async () => {
      for await (const { type } of readStream(server.url)) types.push(type);
    };
    await expect(read()).rejects.toMatchObject({ name: 'StreamEndedError', reason });
    expect(types).toEqual(['stream.open', 'stream.closing']);
    expect(server.requests).toHaveLength(1);
  });

  test('asks for a new URL when the last one has ended, and continues at the same position', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), widgetBlock('a', 'p2'), block('stream.closing', { reason: 'expired' })]),
      streamOf([openBlock('p2'), widgetBlock('b', 'p3')], 'stay'),
    ]);
    let urls = 0;
    const events = await readWidgetEvents(2, () => {
      urls += 1;
      return server.url;
    });
    expect(widgetIds(events)).toEqual(['a', 'b']);
    expect(urls).toBe(2);
    expect(server.requests[1]?.get('lastEventId')).toBe('p2');
  });

  test('gives up when four URLs in a row are refused', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([block('stream.closing', { reason: 'overloaded' })]),
      problemOf(404, 'stream-not-found'),
    ]);
    await expect(readWidgetEvents(1, () => server.url)).rejects.toMatchObject({ name: 'StreamEndedError' });
    expect(server.requests).toHaveLength(5);
  });

  test('throws the reason of an aborted signal, whether it reads or waits, and closes the connection', async () => {
    let closed = 0;
    await using server = await startScriptedStreamServer([
      (response) => {
        response.on('close', () => {
          closed += 1;
        });
        streamOf([openBlock('p1')], 'stay')(response, response.req);
      },
    ]);
    const abort = new AbortController();
    const reading = (async () => {
      for await (const event of readStream(server.url, { signal: abort.signal })) {
        if (event.type === 'stream.open') setImmediate(() => abort.abort(new Error('enough')));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(1);
    await expect(readWidgetEvents(1, server.url, { signal: abort.signal })).rejects.toThrow('enough');
  });

  test('closes the connection when the iteration is left', async () => {
    let closed = 0;
    await using server = await startScriptedStreamServer([
      (response) => {
        response.on('close', () => {
          closed += 1;
        });
        streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay')(response, response.req);
      },
    ]);
    await readWidgetEvents(1, server.url);
    await expect.poll(() => closed).toBe(1);
  });
});
