import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchHeartbeats } from './heartbeat-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client of which a look at its server does not end; the test says what comes of its `close`. */
function watchStuckClient(close: () => Promise<void>) {
  const seen = { stuck: 0, fatal: [] as Error[], connects: 0 };
  const client = Object.assign(new EventEmitter(), {
    options: { connectTimeoutMS: 5_000, heartbeatFrequencyMS: 10_000 },
    close,
    connect: async () => {
      seen.connects += 1;
    },
  });
  const end = watchHeartbeats(client as unknown as MongoClient, {
    onStuck: () => {
      seen.stuck += 1;
    },
    onFatal: (error) => seen.fatal.push(error),
  });
  client.emit('serverHeartbeatStarted', { connectionId: 'a server', awaited: false });
  return { seen, end };
}

it('connects a client anew once it is closed', async () => {
  const { seen, end } = watchStuckClient(async () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual({ stuck: 1, fatal: [], connects: 1 });
  end();
});

it('gives the process up where the client cannot be closed, and tells so once', async () => {
  const { seen, end } = watchStuckClient(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual({ stuck: 1, fatal: [], connects: 0 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual({ stuck: 1, fatal: [expect.any(Error)], connects: 0 });
  end();
});

it('does not give up a process that stops meanwhile', async () => {
  const { seen, end } = watchStuckClient(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(10_000);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.fatal).toEqual([]);
});
