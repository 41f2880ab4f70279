import type { ServerResponse } from 'node:http';
import { readStream, type StreamState } from '@widget-service/client/stream/read-stream.ts';
import { describe, expect, test } from 'vitest';
import { readWidgetEvents, widgetIds } from '../../drivers/streams/read-widget-events.ts';
import {
  type Answer,
  block,
  openBlock,
  problemOf,
  startScriptedStreamServer,
  streamOf,
  widgetBlock,
} from '../../drivers/streams/scripted-stream-server.ts';

describe('readStream', () => {
  test('delivers events with their type, data and position', async () => {
    await using server = await startScriptedStreamServer([streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay')]);
    expect(await readWidgetEvents(1, server.url)).toEqual([
      { type: 'stream.open', position: 'p1', subscriptionId: null, cursor: 'p1', resumed: false, heartbeatSeconds: 15 },
      { type: 'widget.updated', position: 'p2', id: 'a', data: { widget: null } },
    ]);
  });

  test.each(['end', 'break'] as const)(
    'continues at the last position when the connection ends by %s',
    async (then) => {
      await using server = await startScriptedStreamServer([
        streamOf([openBlock('p1'), widgetBlock('a', 'p2')], then),
        streamOf([openBlock('p2', { resumed: true }), widgetBlock('b', 'p3')], 'stay'),
      ]);
      expect(widgetIds(await readWidgetEvents(2, server.url))).toEqual(['a', 'b']);
      expect(server.requests.map((query) => query.get('lastEventId'))).toEqual([null, 'p2']);
    },
  );

  test.each([
    [2, ['a', 'b', 'c', 'a', 'b']],
    [0, ['a', 'b', 'a', 'c', 'c']],
  ])('drops repetitions of the last %i events', async (rememberedIds, delivered) => {
    const blocks = ['a', 'b', 'a', 'c', 'c', 'a', 'b'].map((id, index) => widgetBlock(id, `p${index + 2}`));
    await using server = await startScriptedStreamServer([streamOf([openBlock('p1'), ...blocks], 'stay')]);
    expect(widgetIds(await readWidgetEvents(5, server.url, { rememberedIds }))).toEqual(delivered);
  });

  test.each(['Text/Event-Stream', 'TEXT/EVENT-STREAM;CHARSET=UTF-8', 'text/event-stream ; charset=utf-8'])(
    'reads a stream whose content type is written as %j',
    async (contentType) => {
      await using server = await startScriptedStreamServer([
        streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay', contentType),
      ]);
      expect(widgetIds(await readWidgetEvents(1, server.url))).toEqual(['a']);
    },
  );

  test('starts at a given position, and prefers the one that is kept', async () => {
    await using server = await startScriptedStreamServer([streamOf([openBlock('p1'), widgetBlock('a', 'p9')], 'stay')]);
    await readWidgetEvents(1, server.url, { position: 'earliest' });
    await readWidgetEvents(1, server.url, {
      position: 'earliest',
      positions: { load: () => 'p7', save: () => undefined },
    });
    expect(server.requests.map((query) => query.get('lastEventId'))).toEqual(['earliest', 'p7']);
  });

  test('keeps the position of an event only after it was processed', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), widgetBlock('a', 'p2'), widgetBlock('b', 'p3')], 'stay'),
    ]);
    const saved: string[] = [];
    const positions = { load: () => null, save: (position: string) => void saved.push(position) };
    await readWidgetEvents(2, server.url, { positions });
    expect(saved).toEqual(['p1', 'p2']);
  });

  test.each(['epoch-changed', 'ahead-of-stream'])('delivers an event again after a gap %s', async (reason) => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')]),
      streamOf([
        block('stream.gap', { requested: 'p2', resumedFrom: 'q0', reason }, 'q0'),
        openBlock('q0'),
        widgetBlock('a', 'q1'),
      ]),
    ]);
    expect(widgetIds(await readWidgetEvents(2, server.url))).toEqual(['a', 'a']);
  });

  test('drops an event that comes again', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')]),
      streamOf([
        block('stream.gap', { requested: 'p2', resumedFrom: 'q0', reason: 'trimmed' }, 'q0'),
        openBlock('q0'),
        widgetBlock('a', 'q1'),
        widgetBlock('b', 'q2'),
      ]),
    ]);
    const events = await readWidgetEvents(2, server.url);
    expect(widgetIds(events)).toEqual(['a', 'b']);
    expect(events).toContainEqual({
      type: 'stream.gap',
      position: 'q0',
      requested: 'p2',
      resumedFrom: 'q0',
      reason: 'trimmed',
    });
  });

  test('ignores messages with a name that it does not know', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1'), block('stream.later', {}, 'p2'), widgetBlock('a', 'p3')], 'stay'),
    ]);
    expect((await readWidgetEvents(1, server.url)).map(({ type }) => type)).toEqual(['stream.open', 'widget.updated']);
  });

  test.each<[string, Answer]>([
    ['a 503 of the service', problemOf(503, 'unavailable', { 'retry-after': '0' })],
    ['a 502 of a proxy', (response) => response.writeHead(502).end('bad gateway')],
    ['a broken connection', (response) => response.destroy()],
  ])('connects again after %s', async (_, answer) => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1')]),
      answer,
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    const states: StreamState[] = [];
    const events = await readWidgetEvents(1, server.url, { onState: (state) => states.push(state) });
    expect(widgetIds(events)).toEqual(['a']);
    expect(states.map(({ name }) => name)).toEqual([
      'connecting',
      'open',
      'waiting',
      'connecting',
      'waiting',
      'connecting',
      'open',
    ]);
  });

  test('connects again when the stream is silent for 2.5 heartbeats', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1', { heartbeatSeconds: 0.02 })], 'stay'),
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    const causes: unknown[] = [];
    const onState = (state: StreamState) => {
      if (state.name === 'waiting') causes.push(state.cause);
    };
    expect(widgetIds(await readWidgetEvents(1, server.url, { onState }))).toEqual(['a']);
    expect(causes).toEqual([expect.objectContaining({ name: 'SilenceError' })]);
  }, 10_000);

  test('says that a heartbeat is overdue, and that the stream is open again when something arrives', async () => {
    let response: ServerResponse | undefined;
    await using server = await startScriptedStreamServer([
      (opened) => {
        response = opened;
        streamOf([openBlock('p1', { heartbeatSeconds: 2 })], 'stay')(opened, opened.req);
      },
    ]);
    const states: StreamState['name'][] = [];
    const onState = ({ name }: StreamState) => {
      states.push(name);
      if (name === 'silent') response?.write(widgetBlock('a', 'p2'));
    };
    expect(widgetIds(await readWidgetEvents(1, server.url, { onState }))).toEqual(['a']);
    expect(states).toEqual(['connecting', 'open', 'silent', 'open']);
    expect(server.requests).toHaveLength(1);
  });

  test('does not limit how long a stream stays open', async () => {
    await using server = await startScriptedStreamServer([
      (response) => {
        streamOf([openBlock('p1')], 'stay')(response, response.req);
        setTimeout(() => response.write(widgetBlock('a', 'p2')), 200);
      },
    ]);
    expect(widgetIds(await readWidgetEvents(1, server.url, { openTimeoutMs: 100 }))).toEqual(['a']);
    expect(server.requests).toHaveLength(1);
  });

  test('connects again when no response arrives in time', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1')]),
      () => undefined,
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    expect(widgetIds(await readWidgetEvents(1, server.url, { openTimeoutMs: 100 }))).toEqual(['a']);
  });

  test('backs off while the stream does not open, and not after it was open', async () => {
    const refuse: Answer = (response) => response.writeHead(502).end();
    await using server = await startScriptedStreamServer([
      streamOf([openBlock('p1')]),
      refuse,
      refuse,
      refuse,
      streamOf([openBlock('p1')]),
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    const delaysMs: number[] = [];
    const onState = (state: StreamState) => {
      if (state.name === 'waiting') delaysMs.push(state.delayMs);
    };
    await readWidgetEvents(1, server.url, { onState });
    const [first, , , third = 0, last] = delaysMs;
    expect([first, last]).toEqual([100, 100]);
    expect(third).toBeGreaterThanOrEqual(200);
    expect(third).toBeLessThanOrEqual(400);
  });

  test('waits as long as stream.closing asks for', async () => {
    await using server = await startScriptedStreamServer([
      streamOf([block('stream.closing', { reason: 'overloaded' }, undefined, 123)]),
      streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
    ]);
    const delaysMs: number[] = [];
    const onState = (state: StreamState) => {
      if (state.name === 'waiting') delaysMs.push(state.delayMs);
    };
    const events = await readWidgetEvents(1, server.url, { onState });
    expect(events[0]).toEqual({ type: 'stream.closing', reason: 'overloaded' });
    expect(delaysMs).toEqual([123]);
  });

  test.each(['\r', '\n', '\r\n'])('ends a line at %j', async (end) => {
    // After the heartbeat it is clear that the carriage return before it has no line feed.
    const text = [openBlock('p1'), widgetBlock('a', 'p2'), ':\n'].join('').replaceAll('\n', end);
    await using server = await startScriptedStreamServer([streamOf([text], 'stay')]);
    expect(widgetIds(await readWidgetEvents(1, server.url))).toEqual(['a']);
  });

  test('ends a line at no other character, wherever the bytes are split', async () => {
    // What Python, JavaScript or a text editor takes for the end of a line.
    const payload = { text: 'a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\u001dh\u001ei' };
    const json = `{"id":"a","data":{"widget":null,"payload":{"text":${JSON.stringify(payload.text)}}}}`;
    const bytes = Buffer.from(`\uFEFF${openBlock('p1')}id: p2\nevent: widget.updated\ndata: ${json}\n\n`);
    await using server = await startScriptedStreamServer([
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const byte of bytes) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      },
    ]);
    const event = (await readWidgetEvents(1, server.url)).at(-1);
    expect(event).toMatchObject({ position: 'p2', data: { payload } });
    expect(event?.json).toBe(json);
  });
});

/** The answer, which says when the client has closed the connection. */
const watched =
  (answer: Answer, onClosed: () => void): Answer =>
  (response, request) => {
    response.on('close', onClosed);
    answer(response, request);
  };

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
    const onClosed = () => (closed += 1);
    await using server = await startScriptedStreamServer([watched(streamOf([openBlock('p1')], 'stay'), onClosed)]);
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
    const onClosed = () => (closed += 1);
    await using server = await startScriptedStreamServer([
      watched(streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'), onClosed),
    ]);
    await readWidgetEvents(1, server.url);
    await expect.poll(() => closed).toBe(1);
  });
});
