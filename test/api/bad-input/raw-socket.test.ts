import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CorpusNames, fillIn, issueNames } from '../../corpus/issue-names.ts';
import { rawRequests } from '../../corpus/raw-requests.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';
import { openSocket, parseAnswers, readToEnd, talk } from './raw-talk.ts';
import { setUpTimeoutMs } from './set-up-timeout.ts';

let service: TestApp;
let names: CorpusNames;
let port: number;
beforeAll(async () => {
  service = await openTestApp();
  names = await issueNames(service.backend);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
}, setUpTimeoutMs);
afterAll(() => service.close());

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(Object.entries(rawRequests))('%s', (_, cases) => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, { bytes, expected }) => {
    const answers = await talk(port, fillIn(bytes, names));
    expect(answers.map(({ status }) => status)).toEqual(expected.map(([status]) => status));
    for (const [index, [status, code]] of expected.entries()) {
      const { headers = {}, body = '' } = answers[index] ?? {};
      if (status >= 400) {
        expect(headers['content-type']).toBe('application/problem+json');
        expect(headers['x-request-id']).toMatch(requestId);
        expect(JSON.parse(body)).toMatchObject({ status, requestId: headers['x-request-id'] });
        expect(body).not.toContain('secret');
      }
      if (code !== undefined) expect(JSON.parse(body).code).toBe(code);
    }
  });
});

describe('a client that goes away', () => {
  test.each([
    ['at once', ''],
    ['in the request line', 'GET /api/v1/ses'],
    ['in a header', 'GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX-A'],
    [
      'in its body',
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"em',
    ],
    [
      'in a chunk',
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"e',
    ],
  ])('%s is let go', async (_, bytes) => {
    const gone = serverSide();
    const socket = await openSocket(port);
    socket.end(bytes);
    await closed(await gone);
    const answers = parseAnswers(await readToEnd(socket));
    for (const answer of answers) expect(answer.status).toBe(400);
  });

  test('by a reset, in its body, is let go', async () => {
    const gone = serverSide();
    const socket = await openSocket(port);
    const asked = once(service.app.server, 'request');
    socket.write(
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    await asked;
    socket.resetAndDestroy();
    await closed(await gone);
  });
});

test('an upload that is refused at once is not waited for', async () => {
  const [answer] = await talk(
    port,
    `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n${' '.repeat(100_000)}`,
  );
  expect(answer?.status).toBe(403);
});

test('nothing of all this is in a log line', () => {
  expect(service.logLines.join('')).not.toContain('secret');
  expect(service.logLines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
  // That it listens is told by whoever had it listen.
  expect(service.logLines.filter((line) => line.includes('Server listening'))).toEqual([]);
});

/** What the server's own members are called. */
const bounds = [
  'headersTimeout',
  'requestTimeout',
  'connectionsCheckingInterval',
  'timeout',
  'keepAliveTimeout',
] as const;
type Bounds = Readonly<Record<(typeof bounds)[number], number>>;

test('slowness is bounded: headers 15 s and requests 30 s, both looked at every 5 s, unread answers 60 s', () => {
  const server = service.app.server as unknown as Bounds;
  expect(Object.fromEntries(bounds.map((name) => [name, server[name]]))).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
    timeout: 60_000,
    keepAliveTimeout: 72_000,
  });
});

describe('with shorter bounds, slowness in sending', () => {
  let hurried: { port: number; close: () => Promise<void> };
  beforeAll(async () => {
    hurried = await listenWithin({ headersTimeout: 100, requestTimeout: 150, connectionsCheckingInterval: 20 });
  });
  afterAll(() => hurried.close());

  test.each([
    ['a request line', 'GET /'],
    ['headers', 'GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX-A: '],
    [
      'a body',
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"em',
    ],
  ])('%s is ended with an answer', async (_, bytes) => {
    const [answer] = await talk(hurried.port, bytes);
    expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(answer?.body ?? '{}').code).toBe('request-timeout');
  });

  test('a connection on which nothing is said is closed without an answer, since nothing was asked', async () => {
    expect(await talk(hurried.port, '')).toEqual([]);
  });

  test('a byte at a time is ended too', async () => {
    const socket = await openSocket(hurried.port);
    const drip = setInterval(() => socket.write('a'), 10);
    socket.write('GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX-A: ');
    const [answer] = parseAnswers(await readToEnd(socket));
    clearInterval(drip);
    expect(JSON.parse(answer?.body ?? '{}').code).toBe('request-timeout');
  });
});

test('with a shorter bound, slowness in reading is ended', async () => {
  const hurried = await listenWithin({ timeout: 200 });
  const socket = await openSocket(hurried.port);
  socket.pause();
  const connection = once(hurried.server, 'request').then(([request]) => request.socket as Socket);
  // Far more of answers than two kernels hold for a reader that does not read.
  socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(400));
  await closed(await connection);
  socket.destroy();
  await hurried.close();
});

test('the service goes on as before', async () => {
  const request = `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nCookie: ${names.viewerCookie}\r\nConnection: close\r\n\r\n`;
  expect(await talk(port, request)).toMatchObject([{ status: 200 }]);
});

/** The server's end of the connection that is opened next. */
function serverSide(): Promise<Socket> {
  return once(service.app.server, 'connection').then(([socket]) => socket as Socket);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

async function listenWithin(limits: Partial<Bounds>) {
  const { app, close } = await openTestApp();
  Object.assign(app.server, limits);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, port: (app.server.address() as AddressInfo).port, close };
}
