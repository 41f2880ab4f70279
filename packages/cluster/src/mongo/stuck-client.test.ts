import { EventEmitter } from 'node:events';
import { type MongoClient, MongoStalePrimaryError } from 'mongodb';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
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
  const onStuck = () => {
    calls.stuck += 1;
  };
  const onFatal = (error: Error) => void calls.fatal.push(error);
  const stop = reconnectStuckClient(client as unknown as MongoClient, onStuck, onFatal);
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

/** A client whose primary is stale from the start. `findPrimary` makes the set have another one. */
function watchStaleClient() {
  const reasons: string[] = [];
  const client = Object.assign(new EventEmitter(), {
    options: { connectTimeoutMS: 5_000, heartbeatFrequencyMS: 10_000 },
    close: async () => undefined,
    connect: async () => undefined,
  });
  const onStuck = (_: string, reason: string) => void reasons.push(reason);
  const stop = reconnectStuckClient(client as unknown as MongoClient, onStuck, () => undefined);
  onTestFinished(stop);
  const seeStale = () =>
    client.emit('serverDescriptionChanged', {
      address: 'a server',
      newDescription: { error: new MongoStalePrimaryError('primary marked stale') },
    });
  const findPrimary = () =>
    client.emit('topologyDescriptionChanged', { newDescription: { servers: new Map([['b', { type: 'RSPrimary' }]]) } });
  seeStale();
  return { reasons, seeStale, findPrimary };
}

test('reconnects once the only primary was a stale one for 30 s', async () => {
  const { reasons, seeStale } = watchStaleClient();
  await vi.advanceTimersByTimeAsync(29_000);
  seeStale();
  expect(reasons).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reasons).toEqual([expect.stringContaining('the replica set was made anew')]);
});

test('does not reconnect when a stale primary is followed by another one', async () => {
  const { reasons, findPrimary } = watchStaleClient();
  await vi.advanceTimersByTimeAsync(12_000);
  findPrimary();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reasons).toEqual([]);
});
