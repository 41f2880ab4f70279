import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@widget-service/client/client.ts';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { readFailureKind } from '@widget-service/client/requests/failures.ts';
import { readStream } from '@widget-service/client/stream/read-stream.ts';
import { describe, expect, test } from 'vitest';
import { startScriptedStreamServer } from '../../drivers/streams/scripted-stream-server.ts';
import { createCertificate } from '../../faults/shipped-proxy.ts';

const aHook = { kind: 'updated' as const, occurredAt: '2026-11-25T08:00:00Z' };

/** Counts what is sent. Every request fails as `fetch` of Node fails. */
function openFailingFetch(code: string, message = 'it says why') {
  const counts = { sent: 0 };
  const fetch: typeof globalThis.fetch = async () => {
    counts.sent += 1;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
  };
  return { fetch, counts };
}

/** Everything that sends, at an address. */
function sendEverything(url: string, fetch: typeof globalThis.fetch): [string, () => Promise<unknown>][] {
  return [
    ['a request', async () => createClient({ baseUrl: url, fetch }).getSession()],
    ['a hook', async () => createHookSender({ url: `${url}/api/v1/events/hooks/secret`, fetch }).send(aHook)],
    ['a stream', async () => readStream(`${url}/api/v1/events/secret`, { fetch }).next()],
    ['a stream with a new URL', async () => readStream(() => `${url}/api/v1/events/secret`, { fetch }).next()],
    ['a stream of the session', async () => createClient({ baseUrl: url, fetch }).streamOfSession().next()],
  ];
}

describe.each([
  'example.com',
  'localhost:8080',
  'ftp://example.com',
  '//example.com',
  '',
  'https://me:secret@example.com',
])('at the address "%s"', (url) => {
  test('nothing is sent, and the error says what is wrong with it', async () => {
    const { fetch, counts } = openFailingFetch('ECONNREFUSED');
    for (const [what, send] of sendEverything(url, fetch)) {
      const error = await send().catch((reason: unknown) => reason);
      expect(error, what).toMatchObject({ name: 'InvalidCallError', kind: 'caller' });
      expect((error as Error).message).toMatch(/must begin with https:\/\/|must not contain a user name/);
    }
    expect(counts.sent).toBe(0);
  });
});

describe.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('after %s', (code) => {
  test('nothing is sent again', async () => {
    for (const index of [0, 1, 2, 3, 4]) {
      const { fetch, counts } = openFailingFetch(code);
      const [what, send] = sendEverything('https://widgets.example.com', fetch)[index] ?? ['', Promise.reject];
      await expect(send(), what).rejects.toMatchObject({
        name: 'UnreachableError',
        kind: 'caller',
        message: expect.stringMatching(/^https:\/\/widgets\.example\.com\/api\/v1\/.* cannot be reached: it says why$/),
      });
      expect(counts.sent).toBe(1);
    }
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test.runIf(hasOpenssl)('a server whose certificate nobody has signed is asked once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const { certificateFile, keyFile } = await createCertificate(folder);
  const server = createServer({ cert: await readFile(certificateFile), key: await readFile(keyFile) });
  let handshakes = 0;
  server.on('tlsClientError', () => {
    handshakes += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [what, send] of sendEverything(url, fetch)) {
    await expect(send(), what).rejects.toMatchObject({
      kind: 'caller',
      message: expect.stringContaining('certificate'),
    });
  }
  expect(handshakes).toBeLessThanOrEqual(5);
  server.close();
  await rm(folder, { recursive: true });
});

describe('what no header can have', () => {
  test.each(['', ' row 1', 'row 1 ', 'row\n1', 'row\r\nx: y', 'row\u0000'])(
    'the id %j of a hook is refused',
    async (id) => {
      const { fetch, counts } = openFailingFetch('ECONNREFUSED');
      const sent = createHookSender({ url: 'http://127.0.0.1/', fetch }).send(aHook, { id });
      await expect(sent).rejects.toMatchObject({ name: 'InvalidCallError', message: expect.stringContaining('id') });
      expect(counts.sent).toBe(0);
    },
  );

  test('an idempotency key, a provision token and a kept session with a line break are refused', async () => {
    const { fetch, counts } = openFailingFetch('ECONNREFUSED');
    const client = (options = {}) => createClient({ baseUrl: 'http://127.0.0.1/', fetch, ...options });
    const create = (options: object, key = 'k') => client(options).createWidget({ name: 'a' }, { idempotencyKey: key });
    const refused = { name: 'InvalidCallError', kind: 'caller' };
    await expect(create({}, 'a\nb')).rejects.toMatchObject(refused);
    await expect(create({ provisionToken: 'wpt_a\nb' })).rejects.toMatchObject(refused);
    const sessionStore = { load: () => 'service_console=a\nb', save: () => undefined };
    await expect(client({ sessionStore }).getSession()).rejects.toMatchObject(refused);
    expect(counts.sent).toBe(0);
  });

  test('an id of other letters is sent as its UTF-8 bytes', async () => {
    const ids: Buffer[] = [];
    await using server = await startScriptedStreamServer([
      (response, request) => {
        ids.push(Buffer.from(String(request.headers['webhook-id']), 'latin1'));
        response.writeHead(202, { 'webhook-event-id': 'e-1' }).end();
      },
    ]);
    await createHookSender({ url: server.url }).send(aHook, { id: 'Zeile é Ж 🙂' });
    expect(ids.map(String)).toEqual(['Zeile é Ж 🙂']);
  });
});

test('a hook that JSON cannot hold, and a secret that is none, are refused', async () => {
  const { fetch, counts } = openFailingFetch('ECONNREFUSED');
  const url = 'http://127.0.0.1/';
  const payload: Record<string, unknown> = {};
  payload.self = payload;
  const refused = { name: 'InvalidCallError', kind: 'caller' };
  await expect(createHookSender({ url, fetch }).send({ ...aHook, payload })).rejects.toMatchObject(refused);
  await expect(createHookSender({ url, fetch, secret: 'whsec_!' }).send(aHook)).rejects.toMatchObject(refused);
  expect(counts.sent).toBe(0);
});

test('an aborted request and a closed sender send nothing again', async () => {
  const { fetch, counts } = openFailingFetch('ECONNREFUSED');
  const abort = new AbortController();
  const onRetry = () => abort.abort(new Error('enough'));
  const client = createClient({ baseUrl: 'http://127.0.0.1/', fetch, onRetry });
  await expect(client.api.GET('/api/v1/session', { signal: abort.signal })).rejects.toThrow('enough');
  const sender = createHookSender({ url: 'http://127.0.0.1/', fetch, onRetry: () => sender.close() });
  await expect(sender.send(aHook)).rejects.toThrow('it was closed');
  expect(counts.sent).toBe(2);
});

test.each([Number.NaN, 0, -1, Number.POSITIVE_INFINITY, 2_147_483_648])('a duration of %d is refused by name', (ms) => {
  const refused = (name: string) =>
    expect.objectContaining({ name: 'InvalidCallError', message: expect.stringContaining(name) });
  expect(() => createClient({ baseUrl: 'http://a/', timeoutMs: ms })).toThrow(refused('timeoutMs'));
  expect(() => createHookSender({ url: 'http://a/', timeoutMs: ms })).toThrow(refused('timeoutMs'));
  return expect(readStream('http://a/', { openTimeoutMs: ms }).next()).rejects.toThrow(refused('openTimeoutMs'));
});

test.each([Number.NaN, 0, -1])('a number of %d is refused by name', (count) => {
  expect(() => createClient({ baseUrl: 'http://a/', maxAttempts: count })).toThrow('maxAttempts');
  expect(() => createHookSender({ url: 'http://a/', concurrency: count })).toThrow('concurrency');
  expect(() => createHookSender({ url: 'http://a/', maxQueued: count })).toThrow('maxQueued');
});

test('an outage, a refusal and an error of the caller are three kinds', async () => {
  const problem = (status: number) => () =>
    new Response(JSON.stringify({ title: 'A', detail: 'B', status, code: 'c', requestId: 'r' }), {
      status,
      headers: { 'content-type': 'application/problem+json' },
    });
  const kindOf = async (answer: () => Response | Promise<never>) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1/', fetch: async () => answer(), maxAttempts: 1 });
    return readFailureKind(await client.getSession().catch((reason: unknown) => reason));
  };
  expect(await kindOf(problem(403))).toBe('refusal');
  expect(await kindOf(problem(503))).toBe('outage');
  expect(await kindOf(problem(429))).toBe('outage');
  expect(await kindOf(() => new Response('bad gateway', { status: 502 }))).toBe('outage');
  expect(await kindOf(() => Promise.reject(new TypeError('fetch failed')))).toBe('outage');
  expect(readFailureKind(new Error('of somebody else'))).toBeNull();
});
