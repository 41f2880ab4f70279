import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listenPublicly } from '@widget-service/api/http/create-server.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { expandVariables, issueVariables } from '../../corpus/corpus-variables.ts';
import { type RawCase, rawRequests } from '../../corpus/raw-requests.ts';
import { buildSmugglingBytes, last, smugglingAttacks } from '../../corpus/smuggled-requests.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { requireReadable } from '../../drivers/app/require-readable.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';
import { exchange, openSocket, parseResponses, type RawResponse, readToEnd } from './raw-connection.ts';

/** Every address has the same limits and answers. */
const addresses = [
  '127.0.0.1',
  ...Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address)
    .filter((address) => address === '::1'),
  '127.0.0.2',
];
const service = await openSharedApp();
const variables = await issueVariables(service.backend);
const listener = await listenPublicly(service.app, addresses, 0);
const port = listener.address.port;
afterAll(() => listener.close());

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Sends the bytes of a case. A connection on which a create is hidden gets no more answers than requests are expected.
 */
async function sendCase({ bytes, smuggles, expected }: RawCase, address: string): Promise<RawResponse[]> {
  if (!smuggles) return exchange(port, expandVariables(bytes, variables), address);
  const before = countRequests();
  const responses = await exchange(port, buildSmugglingBytes(bytes, variables), address);
  // A parser error has another line, so there are at most as many as answers.
  expect(countRequests() - before).toBeLessThanOrEqual(expected.length);
  await expectHonestAnswer();
  return responses;
}

const countRequests = () => service.logLines.filter((line) => line.includes('"msg":"request"')).length;

async function expectHonestAnswer(): Promise<void> {
  const request = `GET /api/v1/session HTTP/1.1\r\nHost: a\r\nCookie: ${variables.viewerCookie}\r\nConnection: close\r\n\r\n`;
  expect(await exchange(port, request)).toMatchObject([{ status: 200 }]);
}

const groups = addresses.flatMap((address) =>
  Object.entries({ ...rawRequests, ...smugglingAttacks }).map(([group, cases]) => [address, group, cases] as const),
);

describe.each(groups)('%s, %s', (address, _group, cases) => {
  const titled = cases.map((rawCase) => {
    const statuses = rawCase.expected.map((expected) => expected.join(' ')).slice(-2);
    return [statuses.length === 0 ? 'closes the connection' : `returns ${statuses.join(', ')}`, rawCase.name, rawCase];
  });
  test.each(titled as [string, string, RawCase][])('%s for %s', async (_response, _name, rawCase) => {
    const { expected } = rawCase;
    const responses = await sendCase(rawCase, address);
    expect(responses.map(({ status }) => status)).toEqual(expected.map(([status]) => status));
    for (const [index, [status, code]] of expected.entries()) {
      const { headers = {}, body = '' } = responses[index] ?? {};
      if (status >= 400) {
        expect(headers['content-type']).toBe('application/problem+json');
        expect(headers['x-request-id']).toMatch(requestId);
        if (body === '' && rawCase.bytes.startsWith('HEAD')) continue;
        expect(JSON.parse(body)).toMatchObject({ status, requestId: headers['x-request-id'] });
        expect(body).not.toContain('secret');
      }
      if (code !== undefined) expect(JSON.parse(body).code).toBe(code);
    }
  });
});

test('the create that the attacks hide is valid, and no attack has run it', async () => {
  const listNames = async () => {
    const widgets = await service.backend.widgets.list(
      { state: null, createdAtOrBefore: null },
      { offset: 0, limit: 200 },
    );
    return requireReadable(widgets).map(({ name }) => name);
  };
  expect(await listNames()).not.toContain('smuggled');
  const responses = await exchange(port, buildSmugglingBytes(`{smuggled}${last}`, variables));
  expect(responses.map(({ status }) => status)).toEqual([201, 404]);
  expect(await listNames()).toContain('smuggled');
});

describe('a client that disconnects', () => {
  test.each([
    ['without sending anything', ''],
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
  ])('%s has its connection closed', async (_, bytes) => {
    const nextServerSocket = waitForServerSocket();
    const socket = await openSocket(port);
    socket.end(bytes);
    await waitForClose(await nextServerSocket);
    const responses = parseResponses(await readToEnd(socket));
    for (const response of responses) expect(response.status).toBe(400);
  });

  test('with a reset in its body has its connection closed', async () => {
    const nextServerSocket = waitForServerSocket();
    const socket = await openSocket(port);
    const requestSeen = once(service.app.server, 'request');
    socket.write(
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    await requestSeen;
    socket.resetAndDestroy();
    await waitForClose(await nextServerSocket);
  });
});

test('returns 403 before a large upload is complete', async () => {
  const [response] = await exchange(
    port,
    `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n${' '.repeat(100_000)}`,
  );
  expect(response?.status).toBe(403);
});

test('logs neither sent values nor warnings for these requests', () => {
  expect(service.logLines.join('')).not.toContain('secret');
  expect(service.logLines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
  // Fastify would log this line itself; the caller of listen() logs it instead.
  expect(service.logLines.filter((line) => line.includes('Server listening'))).toEqual([]);
});

/** The time limits of node:http, by the name of the server's member. */
const timeoutNames = [
  'headersTimeout',
  'requestTimeout',
  'connectionsCheckingInterval',
  'timeout',
  'keepAliveTimeout',
] as const;
type Timeouts = Readonly<Record<(typeof timeoutNames)[number], number>>;

test('bounds slow clients: headers 15 s and requests 30 s, checked every 5 s, and unread responses twice 30 s', () => {
  const server = service.app.server as unknown as Timeouts;
  expect(Object.fromEntries(timeoutNames.map((name) => [name, server[name]]))).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
    timeout: 30_000,
    keepAliveTimeout: 72_000,
  });
});

describe.each(addresses)('a slow sender to %s, with shorter timeouts', async (address) => {
  const shortTimeoutServer = await listenWithTimeouts({
    headersTimeout: 100,
    requestTimeout: 150,
    connectionsCheckingInterval: 20,
  });
  afterAll(() => shortTimeoutServer.close());

  test.each([
    ['a request line', 'GET /'],
    ['a header', 'GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX-A: '],
    [
      'a body',
      'POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"em',
    ],
  ])('gets 400 request-timeout when %s is incomplete', async (_, bytes) => {
    const [response] = await exchange(shortTimeoutServer.port, bytes, address);
    expect(response).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(response?.body ?? '{}').code).toBe('request-timeout');
  });

  test('gets no second answer to a request that was refused before its body', async () => {
    const bytes = 'POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
    expect(await exchange(shortTimeoutServer.port, bytes, address)).toMatchObject([{ status: 403 }]);
  });

  test('gets no response on a connection without a request', async () => {
    expect(await exchange(shortTimeoutServer.port, '', address)).toEqual([]);
  });

  test('gets 400 request-timeout although it sends a byte at a time', async () => {
    const socket = await openSocket(shortTimeoutServer.port, address);
    const drip = setInterval(() => socket.write('a'), 10);
    socket.write('GET /api/v1/session HTTP/1.1\r\nHost: a\r\nX-A: ');
    const [response] = parseResponses(await readToEnd(socket));
    clearInterval(drip);
    expect(JSON.parse(response?.body ?? '{}').code).toBe('request-timeout');
  });
});

test.each(addresses)(
  'closes the connection of a client of %s that does not read, with a shorter timeout',
  async (address) => {
    const shortTimeoutServer = await listenWithTimeouts({ timeout: 200 });
    const socket = await openSocket(shortTimeoutServer.port, address);
    socket.pause();
    const connection = once(shortTimeoutServer.server, 'request').then(([request]) => request.socket as Socket);
    // The responses exceed the socket buffers of both sides.
    socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(400));
    await waitForClose(await connection);
    socket.destroy();
    await shortTimeoutServer.close();
  },
);

test('an idle connection to any address does not keep the service from closing', async () => {
  const other = await openTestApp();
  const { address, close } = await listenPublicly(other.app, addresses, 0);
  const request = 'GET /api/v1/session HTTP/1.1\r\nHost: a\r\n\r\n';
  const sockets = await Promise.all(addresses.map((at) => openSocket(address.port, at)));
  const ends = sockets.map((socket) => {
    socket.write(request);
    return once(socket, 'data').then(() => readToEnd(socket));
  });
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  await close();
  await Promise.all(ends);
  await Promise.all(addresses.map((at) => expect(once(connect(address.port, at), 'connect')).rejects.toThrow()));
  await other.close();
});

test('the service still answers after all these requests', expectHonestAnswer);

/** The server's socket of the next connection. */
function waitForServerSocket(): Promise<Socket> {
  return once(service.app.server, 'connection').then(([socket]) => socket as Socket);
}

function waitForClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

async function listenWithTimeouts(timeouts: Partial<Timeouts>) {
  const { app, close } = await openTestApp();
  Object.assign(app.server, timeouts);
  const listening = await listenPublicly(app, addresses, 0);
  const closeAll = async () => {
    await listening.close();
    await close();
  };
  return { server: app.server, port: listening.address.port, close: closeAll };
}
