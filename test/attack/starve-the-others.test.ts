import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { afterEach, expect, test } from 'vitest';
import { aUser } from '../drivers/app/builders.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

/**
 * One client attacks, and an honest one elsewhere is served within a second. The limits of each defence have tests of
 * their own: `test/api/every-route/connection-limits.test.ts`, `test/api/session/sign-in-limits.test.ts`,
 * `test/api/session/unknown-sessions.test.ts` and the scenario `stalled-and-vanished-clients-are-cut`.
 */
const attacker = '127.0.0.2';
const honest = '127.0.0.1';
const password = 'correct horse battery';
const email = 'ann@example.com';

// Proxies elsewhere: so the addresses of this machine are those of clients.
const environment = { TRUSTED_PROXIES: '192.0.2.0/24', CONNECTIONS_PER_ADDRESS: '300' };
// Every wrong password costs a hash.
const service = await openSharedService(environment, {}, { signInFailuresPerMinute: 0 });
const port = Number(new URL(service.url).port);
const hookPath = new URL(await service.issueHookUrl()).pathname;
await service.backend.users.insert(aUser({ email, passwordHash: await new PasswordHasher().hash(password) }));
const { cookie } = await sendHonest('POST', '/api/v1/session', { email, password });

const sockets: Socket[] = [];
const timers: NodeJS.Timeout[] = [];
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface HonestAnswer {
  readonly status: number;
  readonly elapsedMs: number;
  readonly cookie: string;
}

/** On a new connection, from an address that does not attack. */
async function sendHonest(method: string, path: string, body?: object): Promise<HonestAnswer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const elapsedMs = startStopwatch();
  const sent = request({
    ...{ host: honest, port, method, path, localAddress: honest, agent: false },
    headers: {
      'content-type': 'application/json',
      'content-length': text.length,
      // Signing in would end the session that the request brings.
      ...(path === '/api/v1/session' ? {} : { cookie }),
    },
  });
  sent.end(text);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  const set = [response.headers['set-cookie'] ?? []].flat()[0] ?? '';
  return { status: response.statusCode, elapsedMs: elapsedMs(), cookie: String(set).split(';')[0] ?? '' };
}

const honestRequests = {
  'a page': { method: 'GET', path: () => '/api/v1/widgets', status: 200, body: undefined },
  'a hook': {
    method: 'POST',
    path: () => hookPath,
    status: 202,
    body: { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' },
  },
  'a sign-in': { method: 'POST', path: () => '/api/v1/session', status: 200, body: { email, password } },
} as const;

/** Fails unless each honest request is answered, and half of them within 1 s: this machine may be busy for a moment. */
async function expectService(names = Object.keys(honestRequests) as (keyof typeof honestRequests)[]): Promise<void> {
  for (const name of names) {
    const { method, path, status, body } = honestRequests[name];
    const times: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      const answer = await sendHonest(method, path(), body);
      expect(answer.status, name).toBe(status);
      times.push(answer.elapsedMs);
    }
    expect([...times].sort((a, b) => a - b)[1], `${name}: ${times.join(', ')} ms`).toBeLessThan(1_000);
  }
}

/** Opens connections of the attacker, and writes `text` on each. Refused ones are left as they are. */
async function openMany(count: number, text: string): Promise<Socket[]> {
  const opened = Array.from({ length: count }, () => {
    const socket = connect({ port, host: honest, localAddress: attacker });
    socket.on('error', () => undefined).resume();
    sockets.push(socket);
    return socket;
  });
  await Promise.all(
    opened.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  for (const socket of opened) socket.write(text);
  return opened;
}

/** Writes a byte on each connection, again and again. */
function drip(opened: readonly Socket[], text: string): void {
  timers.push(
    setInterval(() => {
      for (const socket of opened) if (socket.writable) socket.write(text);
    }, 50),
  );
}

/** Sends requests, `concurrency` at once, until the returned function is called. It returns how many were answered. */
function flood(
  concurrency: number,
  makeRequest: () => { method: string; path: string; headers?: Record<string, string>; body?: string },
) {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  let isOver = false;
  let answered = 0;
  const run = async () => {
    while (!isOver) {
      const { body = '', headers, ...rest } = makeRequest();
      const sent = request({
        ...{ agent, host: honest, port, localAddress: attacker, ...rest },
        headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
      });
      sent.end(body);
      try {
        const [response] = await once(sent, 'response');
        response.resume();
        await once(response, 'end');
        answered += 1;
      } catch {
        // Refused connections are part of the defence.
      }
    }
  };
  const runs = Array.from({ length: concurrency }, run);
  return async () => {
    isOver = true;
    await Promise.all(runs);
    agent.destroy();
    return answered;
  };
}

test('slow headers on 250 connections', async () => {
  drip(await openMany(250, 'GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX: '), 'a');
  await expectService();
});

test('slow bodies on 250 connections', async () => {
  const head = `POST ${hookPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
  drip(await openMany(250, head), ' ');
  await expectService();
});

test('250 readers that read nothing', async () => {
  const opened = await openMany(250, '');
  for (const socket of opened) socket.pause();
  for (const socket of opened) socket.write('GET /docs/swagger-ui.css HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
  await expectService();
});

test('more connections than one address may have', async () => {
  const opened = await openMany(450, 'GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expectService();
  await eventually(async () => opened.filter((socket) => !socket.closed).length <= 300, 'the others are refused');
});

test('connections that are opened and closed', async () => {
  let isOver = false;
  const runs = Array.from({ length: 20 }, async () => {
    while (!isOver) for (const socket of await openMany(10, 'GET ')) socket.resetAndDestroy();
  });
  await expectService();
  isOver = true;
  await Promise.all(runs);
});

test.each<[string, () => { method: string; path: string; headers?: Record<string, string>; body?: string }]>([
  [
    'cookies',
    () => ({
      method: 'GET',
      path: '/api/v1/session',
      headers: { cookie: `service_console=${randomBytes(32).toString('base64url')}` },
    }),
  ],
  ['hook tokens', () => ({ method: 'POST', path: `/api/v1/events/hooks/${mintToken('wht')}`, body: '{}' })],
  ['stream tokens', () => ({ method: 'GET', path: `/api/v1/events/${mintToken('wst')}` })],
  [
    'provision tokens',
    () => ({
      method: 'POST',
      path: '/api/v1/widgets',
      headers: { authorization: `Bearer ${mintToken('wpt')}` },
      body: '{"name":"x"}',
    }),
  ],
])('invented %s, 30 at once', async (_, makeRequest) => {
  const end = flood(30, makeRequest);
  await expectService();
  expect(await end()).toBeGreaterThan(30);
});

test('wrong passwords, 80 at once', async () => {
  let next = 0;
  const end = flood(80, () => {
    next += 1;
    const body = JSON.stringify({ email: next % 2 === 0 ? email : `${next}@example.com`, password: 'wrong' });
    return { method: 'POST', path: '/api/v1/session', body };
  });
  await expectService();
  await end();
});
