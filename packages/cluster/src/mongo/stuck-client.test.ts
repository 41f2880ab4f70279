import { EventEmitter } from 'node:events';
import type { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reconnectStuckClient } from './stuck-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Watches a client whose heartbeat never ends. `close` is the client's `close`. */
function watchStuckClient(close: () => Promise<void>) {
  const calls = { stuck: 0, fatal: [] as Error[], connects: 0 };
  const client = Object.assign(new EventEmitter(), {
    options: { connectTimeoutMS: 5_000, heartbeatFrequencyMS: 10_000 },
    close,
    connect: async () => {
      calls.connects += 1;
    },
  });
  const stop = reconnectStuckClient(client as unknown as MongoClient, {
    onStuck: () => {
      calls.stuck += 1;
    },
    onFatal: (error) => calls.fatal.push(error),
  });
  client.emit('serverHeartbeatStarted', { connectionId: 'a server', awaited: false });
  return { calls, stop };
}

test('closes a stuck client and connects it again', async () => {
  const { calls, stop } = watchStuckClient(async () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual({ stuck: 1, fatal: [], connects: 1 });
  stop();
});

test('calls onFatal once when the client does not close', async () => {
  const { calls, stop } = watchStuckClient(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(calls).toEqual({ stuck: 1, fatal: [], connects: 0 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual({ stuck: 1, fatal: [expect.any(Error)], connects: 0 });
  stop();
});

test('does not call onFatal after the watch was stopped', async () => {
  const { calls, stop } = watchStuckClient(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.fatal).toEqual([]);
});
