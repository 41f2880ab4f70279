import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { speedUpTime } from '../faults/fake-time.ts';
import { isLong } from '../faults/scale.ts';

/** The clock of the service runs this many times as fast, with libfaketime. In the long form it is the real one. */
const clockOfService = isLong ? null : speedUpTime(4);
const factor = clockOfService === null ? 1 : 4;
/** A busy machine may notice the end of a time-out this much later. In seconds of the service, as all here. */
const toleranceSeconds = 4;
/** The connections of IPv4, with the state of each end. Only Linux has it. */
const connectionTable = '/proc/net/tcp';

const folder = await makeSharedFolder();
let service: ServiceProcess;
let port: number;
beforeAll(async () => {
  service = await startService('api', { DATA_DIR: folder, HOST: '127.0.0.1', ...clockOfService });
  port = Number(new URL(service.url).port);
  // The first answer takes longer than the others.
  await (await fetch(`${service.url}/api/v1/openapi.json`)).arrayBuffer();
});
afterAll(() => service.stop('SIGKILL'));

/** A connection, and how long it has been open at most. */
interface Connection {
  readonly socket: Socket;
  readonly readDuration: () => Duration;
}

async function open(text: string): Promise<Connection> {
  const readDuration = startDuration();
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return { socket, readDuration };
}

interface Duration {
  /** By the clock. A time-out is never too early by it. */
  readonly elapsedSeconds: number;
  /** Without stolen time. A time-out is never too late by it. */
  readonly ownSeconds: number;
}

function startDuration(): () => Duration {
  const startedAtMs = performance.now();
  const ownMs = startStopwatch();
  const toSeconds = (ms: number) => (factor * ms) / 1_000;
  return () => ({ elapsedSeconds: toSeconds(performance.now() - startedAtMs), ownSeconds: toSeconds(ownMs()) });
}

/** Returns what the service sent, and how long it kept the connection open. */
async function readToEnd({ socket, readDuration }: Connection): Promise<{ text: string; duration: Duration }> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return { text: Buffer.concat(chunks).toString(), duration: readDuration() };
}

function expectBetween(duration: Duration, [least, most]: readonly [number, number], what: string): void {
  console.log(`${what}: ${duration.elapsedSeconds.toFixed(1)} s, documented ${least} s to ${most} s`);
  expect(duration.elapsedSeconds).toBeGreaterThanOrEqual(least - 0.5);
  expect(duration.ownSeconds).toBeLessThanOrEqual(most + toleranceSeconds);
}

/** Whether the service's end of the connection is established (state 01), from its own table of connections. */
function isEstablished(clientPort: number): boolean {
  const toHex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  const ends = [`0100007F:${toHex(port)}`, `0100007F:${toHex(clientPort)}`];
  return readFileSync(connectionTable, 'utf8')
    .split('\n')
    .some((line) => line.includes(`${ends.join(' ')} 01 `));
}

// They wait at the same time.
describe.concurrent('documented time-outs of a connection', () => {
  test('closes a connection without a request after 15 s to 20 s, without a response', async () => {
    const { text, duration } = await readToEnd(await open(''));
    expectBetween(duration, [15, 20], 'no request');
    expect(text).toBe('');
  });

  test('returns request-timeout if the headers are not complete after 15 s to 20 s', async () => {
    const { text, duration } = await readToEnd(await open('GET /api/v1/widgets HTTP/1.1\r\nHost: localhost\r\n'));
    expectBetween(duration, [15, 20], 'headers');
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"request-timeout"/s);
  });

  test('returns request-timeout if the body is not complete after 30 s to 35 s', async () => {
    const head =
      'POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
    const { text, duration } = await readToEnd(await open(head));
    expectBetween(duration, [30, 35], 'body');
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"request-timeout"/s);
  });

  test('returns request-timeout after 30 s to 35 s also for a body that arrives byte by byte', async () => {
    const head =
      'POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
    const connection = await open(head);
    const timer = setInterval(() => connection.socket.write(' '), 1_000 / factor);
    const { text, duration } = await readToEnd(connection);
    clearInterval(timer);
    expectBetween(duration, [30, 35], 'slow body');
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"request-timeout"/s);
  });

  test('keeps a connection for 72 s to 74 s after a response', async () => {
    const { text, duration } = await readToEnd(await open('GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expectBetween(duration, [72, 74], 'next request');
    expect(text).toMatch(/^HTTP\/1\.1 403 .*\r\nkeep-alive: timeout=72\r\n/is);
  });

  test.runIf(existsSync(connectionTable))(
    'closes a connection whose client accepts nothing after 30 s to 60 s',
    async () => {
      // Far more than the buffers of both ends hold.
      const request = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const { socket, readDuration } = await open(request.repeat(400));
      socket.pause();
      const clientPort = socket.localPort ?? 0;
      expect(isEstablished(clientPort)).toBe(true);
      await eventually(async () => !isEstablished(clientPort), 'the service closes the connection', 150_000);
      const duration = readDuration();
      socket.destroy();
      expectBetween(duration, [30, 60], 'unread response');
    },
  );
});
