import { answers } from '@widget-service/client/answers.ts';
import { createClient } from '@widget-service/client/client.ts';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { readStream, type StreamState } from '@widget-service/client/stream/read-stream.ts';
import { describe, expect, test } from 'vitest';
import { readWidgetEvents, widgetIds } from '../../drivers/streams/read-widget-events.ts';
import {
  type Answer,
  openBlock,
  startScriptedStreamServer,
  streamOf,
  widgetBlock,
} from '../../drivers/streams/scripted-stream-server.ts';

const answerWith =
  (status: number, type: string | null, body = ''): Answer =>
  (response) => {
    response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body);
  };
const redirectTo =
  (status: number, location: string): Answer =>
  (response) => {
    response.writeHead(status, { location }).end();
  };

const page = '<!doctype html><title>Sign in to the guest network</title>';
const anItem = { id: 'w-1', name: 'lamp' };
/** What a proxy, a captive portal or another service may answer to everything, and how the error calls it. */
const foreignAnswers: [string, Answer, string][] = [
  ['a page', answerWith(200, 'text/html; charset=utf-8', page), '200 text/html'],
  ['a page that was created', answerWith(201, 'text/html', page), '201 text/html'],
  ['other JSON', answerWith(200, 'application/json', '{"ok":true}'), '200 application/json'],
  ['other JSON that was created', answerWith(201, 'application/json', '{"ok":true}'), '201 application/json'],
  ['other JSON that was accepted', answerWith(202, 'application/json', '{"ok":true}'), '202 application/json'],
  ['a number', answerWith(200, 'application/json', '5'), '200 application/json'],
  ['null', answerWith(201, 'application/json', 'null'), '201 application/json'],
  ['a page that says it is JSON', answerWith(200, 'application/json', page), '200 application/json'],
  [
    'a list of others',
    answerWith(200, 'application/json', `{"items":[${JSON.stringify(anItem)}]}`),
    '200 application/json',
  ],
  ['an empty list', answerWith(201, 'application/json', '[]'), '201 application/json'],
  ['nothing, with 200', answerWith(200, null), '200 no content'],
  ['nothing, with 202', answerWith(202, null), '202 no content'],
  ['JSON behind a 204 of another service', answerWith(206, 'application/json', '{}'), '206 application/json'],
  ['a 404 page', answerWith(404, 'text/html', page), '404 text/html'],
  [
    'a problem that is none of the service',
    answerWith(400, 'application/problem+json', '{"code":1}'),
    '400 application/problem+json',
  ],
];

/** Calls an operation with whatever its path needs. */
function call(baseUrl: string, operation: string): Promise<unknown> {
  const [method = '', path = ''] = operation.split(' ');
  const api = createClient({ baseUrl, provisionToken: 'wpt_secret' }).api as unknown as Record<
    string,
    (path: string, init: object) => Promise<unknown>
  >;
  const parameters = { id: '1', token: '2', eventId: '3', sessionId: '4', connectionId: '5' };
  const init = { params: { path: parameters }, ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) };
  return api[method]?.(path, init) ?? Promise.reject(new Error(`no ${method}`));
}

describe.each(foreignAnswers)('when %s answers', (_, answer, came) => {
  test('every operation rejects with a sentence that names the address and what came', async () => {
    await using server = await startScriptedStreamServer([answer]);
    const { origin } = new URL(server.url);
    for (const operation of Object.keys(answers)) {
      // What is right for one operation.
      if (came === '202 no content' && operation.endsWith('hooks/{token}')) continue;
      const error = await call(origin, operation).then(
        () => new Error(`${operation} took it for success`),
        (reason: unknown) => reason as Error,
      );
      expect(error, operation).toMatchObject({ name: 'UnexpectedResponseError', status: Number(came.split(' ')[0]) });
      expect(error.message).toContain(`something else answers at ${origin}/api/v1/`);
      expect(error.message).toContain(came);
    }
  });

  test('a hook is not taken for accepted', async () => {
    await using server = await startScriptedStreamServer([answer]);
    const { origin } = new URL(server.url);
    const sender = createHookSender({ url: `${origin}/api/v1/events/hooks/secret` });
    const sent = sender.send({ kind: 'updated', occurredAt: '2026-11-25T08:00:00Z' });
    const error = await sent.then(
      () => new Error('accepted'),
      (reason: unknown) => reason as Error,
    );
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', address: `${origin}/api/v1/events/hooks/…` });
    expect(error.message).toContain(came);
    expect(error.message).not.toContain('secret');
  });

  test('a stream says what it waits for, and goes on when the service is back', async () => {
    const stream = streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay');
    await using server = await startScriptedStreamServer([streamOf([openBlock('p1')]), answer, stream]);
    const causes: unknown[] = [];
    const onState = (state: StreamState) => {
      if (state.name === 'waiting' && state.cause !== null) causes.push(state.cause);
    };
    expect(widgetIds(await readWidgetEvents(1, server.url, { onState }))).toEqual(['a']);
    const message = expect.stringContaining(came);
    expect(causes).toEqual([expect.objectContaining({ name: 'UnexpectedResponseError', message })]);
  });
});

describe.each([301, 302, 303, 307, 308])('a redirect with %i', (status) => {
  test('is followed by no operation: the error names both addresses, and the other one gets nothing', async () => {
    await using other = await startScriptedStreamServer([answerWith(201, 'application/json', '{}')]);
    const target = `${new URL(other.url).origin}/api/v1/elsewhere`;
    await using server = await startScriptedStreamServer([redirectTo(status, target)]);
    const { origin } = new URL(server.url);
    for (const operation of Object.keys(answers)) {
      const error = (await call(origin, operation).catch((reason: unknown) => reason)) as Error;
      expect(error, operation).toMatchObject({ name: 'UnexpectedResponseError', status, location: target });
      expect(error.message).toContain(`${origin}/api/v1/`);
      expect(error.message).toContain(` redirects to ${target} (${status})`);
    }
    expect(other.requests).toEqual([]);
  });

  test('of a hook is not followed, and its token is not shown', async () => {
    await using other = await startScriptedStreamServer([answerWith(202, null)]);
    const target = new URL('/api/v1/events/hooks/secret', other.url).href;
    await using server = await startScriptedStreamServer([redirectTo(status, target)]);
    const sender = createHookSender({ url: new URL('/api/v1/events/hooks/secret', server.url).href });
    const error = await sender.send({ kind: 'updated', occurredAt: '2026-11-25T08:00:00Z' }).catch((reason) => reason);
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', status });
    expect(error.message).not.toContain('secret');
    expect(other.requests).toEqual([]);
  });

  test('of a stream is not followed', async () => {
    const stream = streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay');
    await using other = await startScriptedStreamServer([stream]);
    await using server = await startScriptedStreamServer([redirectTo(status, other.url), stream]);
    const reading = readWidgetEvents(1, server.url);
    // Nobody changes a permanent one back. Another may belong to a page that says that the service is maintained.
    if (status === 301 || status === 308) {
      await expect(reading).rejects.toMatchObject({ name: 'UnexpectedResponseError', status, kind: 'caller' });
    } else expect(widgetIds(await reading)).toEqual(['a']);
    expect(other.requests).toEqual([]);
  });
});

test('a response that a fetch of the caller has followed to another address is no success', async () => {
  await using other = await startScriptedStreamServer([answerWith(204, null)]);
  await using server = await startScriptedStreamServer([redirectTo(307, other.url)]);
  const follow: typeof fetch = (input, init) => fetch(new Request(input, { ...init, redirect: 'follow' }));
  const client = createClient({ baseUrl: new URL(server.url).origin, provisionToken: 'wpt_secret', fetch: follow });
  const error = await client.api.DELETE('/api/v1/session').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'UnexpectedResponseError' });
});

test('nothing of a foreign answer is kept as a session', async () => {
  const kept: (string | null)[] = [];
  await using server = await startScriptedStreamServer([
    (response) => response.writeHead(200, { 'set-cookie': 'portal=1', 'content-type': 'text/html' }).end(page),
  ]);
  const sessionStore = { load: () => null, save: (session: string | null) => void kept.push(session) };
  const client = createClient({ baseUrl: new URL(server.url).origin, sessionStore });
  await expect(client.signIn({ email: 'a@example.com', password: 'secret' })).rejects.toThrow('something else answers');
  expect(kept).toEqual([]);
});

test.each([
  ['no JSON', 'nonsense'],
  ['no object', '5'],
  ['no widget', '{"id":"a","data":{"widget":{}}}'],
  ['no data', '{"id":"a"}'],
])('a stream that sends an event with %s is broken off, and read again from the last position', async (_, data) => {
  await using server = await startScriptedStreamServer([
    streamOf([openBlock('p1'), `id: p2\nevent: widget.updated\ndata: ${data}\nretry: 5\n\n`]),
    streamOf([openBlock('p1'), widgetBlock('a', 'p2')], 'stay'),
  ]);
  const causes: unknown[] = [];
  const onState = (state: StreamState) => {
    if (state.name === 'waiting') causes.push(state.cause);
  };
  expect(widgetIds(await readWidgetEvents(1, server.url, { onState }))).toEqual(['a']);
  expect(causes).toEqual([expect.objectContaining({ name: 'MalformedEventError' })]);
  expect(server.requests[1]?.get('lastEventId')).toBe('p1');
});

test('a stream that opens and says nothing is asked less and less often', async () => {
  await using server = await startScriptedStreamServer([streamOf(['retry: 0\n\n'])]);
  const stop = new AbortController();
  const delaysMs: number[] = [];
  const onState = (state: StreamState) => {
    if (state.name === 'waiting') delaysMs.push(state.delayMs);
    if (delaysMs.length === 3) stop.abort();
  };
  const reading = readStream(server.url, { onState, signal: stop.signal }).next();
  await expect(reading).rejects.toThrow();
  expect(delaysMs[2]).toBeGreaterThanOrEqual(200);
});
