import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Overrides } from '@widget-service/api/process/compose.ts';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { openTestService, type TestService } from '../../drivers/app/test-service.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const otherAddress = '127.0.0.2';
/** Proxies elsewhere: so the addresses of this machine are those of clients. */
const noLocalProxy = { TRUSTED_PROXIES: '192.0.2.0/24' };
/** How many refused connections a pod answers at once. */
const refusalsMax = 100;

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

async function start(environment: Record<string, string>, options: Overrides = {}): Promise<TestService> {
  const service = await openTestService(environment, {}, options);
  onTestFinished(() => service.close());
  return service;
}

/** A connection that collects what it receives. It stays open until the service or the test closes it. */
async function openConnection({ url }: TestService, localAddress = '127.0.0.1') {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  open.push(socket);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([once(socket, 'connect'), closed]);
  return { socket, closed, received: () => received };
}

type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Sends a request and returns the received text: at least the whole head of the response. */
async function send({ socket, closed, received }: Connection, path = '/api/v1/session'): Promise<string> {
  const before = received().length;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const hasAnswer = () => received().slice(before).includes('\r\n\r\n');
  while (!hasAnswer() && !socket.closed) await Promise.race([once(socket, 'data').catch(() => undefined), closed]);
  return received().slice(before);
}

/** Opens connections until one is refused or all are open. Returns the statuses of the answers on them. */
async function openMany(service: TestService, count: number, localAddress?: string): Promise<string[]> {
  const statuses: string[] = [];
  for (let index = 0; index < count; index += 1) {
    statuses.push((await send(await openConnection(service, localAddress))).split(' ')[1] ?? 'closed');
  }
  return statuses;
}

/** Without a session, the request on an accepted connection gets this status. */
const accepted = '403';
const repeat = (status: string, count: number) => Array.from({ length: count }, () => status);

async function readMetric({ opsUrl }: TestService, series: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? Number.NaN,
  );
}

describe('CONNECTIONS_PER_ADDRESS', () => {
  test('refuses further connections of one address with a 503 problem, and serves another address', async () => {
    const service = await start({ ...noLocalProxy, CONNECTIONS_PER_ADDRESS: '5' });
    expect(await openMany(service, 8)).toEqual([...repeat(accepted, 5), ...repeat('503', 3)]);
    const refused = await openConnection(service);
    const text = await send(refused);
    await refused.closed;
    expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\n/);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toMatch(/\r\nretry-after: [1-9]\d*\r\n/i);
    expect(text).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
    expect(text).toContain('"code":"too-many-connections"');
    expect(await openMany(service, 2, otherAddress)).toEqual(repeat(accepted, 2));
    expect(await readMetric(service, 'widget_connections_open')).toBe(7);
    expect(await readMetric(service, 'widget_connections_refused_total{reason="per-address"}')).toBe(4);

    open[0]?.destroy();
    await eventually(async () => (await openMany(service, 1))[0] === accepted, 'a closed connection is not counted');
  });

  test('counts open streams, until they end, and ends a refused EventSource so that it reconnects', async () => {
    const service = await start({ ...noLocalProxy, CONNECTIONS_PER_ADDRESS: '3' });
    const { url, subscriptionId } = await service.issueStreamUrl();
    const { pathname } = new URL(url);
    for (let index = 0; index < 3; index += 1) {
      expect(await send(await openConnection(service), pathname)).toMatch(/^HTTP\/1\.1 200 /);
    }
    await eventually(async () => (await readMetric(service, 'widget_streams_open')) === 3, 'three streams are open');
    const refused = await openConnection(service);
    await send(refused, pathname);
    await refused.closed;
    // Any status but 200 would end a browser's EventSource for good.
    expect(refused.received()).toMatch(/^HTTP\/1\.1 200 .*content-type: text\/event-stream/is);
    expect(refused.received()).toContain('event: stream.closing\ndata: {"reason":"too-many-connections"}\nretry: ');
    expect(await openMany(service, 1)).toEqual(['503']);

    // The service ends the streams itself.
    await service.backend.subscriptions.remove(subscriptionId);
    await service.backend.control.announce({ kind: 'subscription', id: subscriptionId, change: 'revoked' });
    await eventually(async () => (await openMany(service, 1))[0] === accepted, 'ended streams are not counted');
  });

  test('closes a refused connection on which no request arrives after 2 s', async () => {
    const service = await start({ ...noLocalProxy, CONNECTIONS_PER_ADDRESS: '1' });
    expect(await openMany(service, 1)).toEqual([accepted]);
    const startedAtMs = performance.now();
    const silent = await openConnection(service);
    await silent.closed;
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    expect(silent.received()).toBe('');
  });

  test('counts clients that use IPv4 one by one, also where the service listens on both families', async () => {
    const service = await start({ ...noLocalProxy, HOST: '::', CONNECTIONS_PER_ADDRESS: '1' });
    expect(await openMany(service, 2)).toEqual([accepted, '503']);
    expect(await openMany(service, 2, otherAddress)).toEqual([accepted, '503']);
  });

  test('resets further connections of one address while too many are being refused', async () => {
    const service = await start({ ...noLocalProxy, CONNECTIONS_PER_ADDRESS: '1' });
    expect(await openMany(service, 1)).toEqual([accepted]);
    await Promise.all(Array.from({ length: refusalsMax + 50 }, () => openConnection(service)));
    const count = (reason: string) => readMetric(service, `widget_connections_refused_total{reason="${reason}"}`);
    await eventually(
      async () => (await count('per-address')) + (await count('reset')) === refusalsMax + 50,
      'all are refused',
    );
    expect(await count('reset')).toBe(50);
    // All but the accepted connection and those that wait for their answer are closed already.
    expect(open.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(1 + refusalsMax);
  });

  test.each([
    ['a trusted proxy', { TRUSTED_PROXIES: '127.0.0.1' }],
    ['every peer, if the number of proxies is set', { TRUSTED_PROXIES: '1' }],
    ['a private peer, if no proxy is declared: it may be one', {}],
  ])('does not apply to %s', async (_, environment) => {
    const service = await start({ ...environment, CONNECTIONS_PER_ADDRESS: '2' });
    expect(await openMany(service, 10)).toEqual(repeat(accepted, 10));
  });
});

describe('the connections of a pod', () => {
  test('are limited: it refuses all further ones with a 503 problem, and resets them when too many are being refused', async () => {
    const service = await start({}, { connectionsPerPod: 5 });
    expect(await openMany(service, 6)).toEqual([...repeat(accepted, 5), '503']);
    expect(await openMany(service, 1, otherAddress)).toEqual(['503']);
    // They send nothing, so each one occupies the pod until its time is over.
    const silent = await Promise.all(Array.from({ length: 3 * refusalsMax }, () => openConnection(service)));
    const startedAtMs = performance.now();
    await Promise.all(silent.slice(2 * refusalsMax).map(({ closed }) => closed));
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    expect(await readMetric(service, 'widget_connections_open')).toBe(5);
    expect(await readMetric(service, 'widget_connections_refused_total{reason="reset"}')).toBeGreaterThanOrEqual(
      refusalsMax,
    );
    // Open connections are served meanwhile.
    const first = open[0] as Socket;
    const answer = once(first, 'data');
    first.write('GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('may be 10 000 more than STREAMS_PER_POD', async () => {
    const service = await start({ STREAMS_PER_POD: '20' });
    expect(await readMetric(service, 'widget_connections_limit')).toBe(10_020);
  });
});
