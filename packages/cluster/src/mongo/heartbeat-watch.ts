import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { MongoClient } from 'mongodb';

const lookEveryMs = 500;
/** What a look at a server may take beyond the time-out that the driver gives it. */
const graceMs = 1_000;
const closeWithinMs = 2_000;

export interface HeartbeatWatchOptions {
  readonly connectTimeoutMs: number;
  readonly heartbeatFrequencyMs: number;
  /** Told when a client had to be connected anew. */
  readonly onStuck: (address: string) => void;
}

/**
 * Connects a client anew when its look at a server does not end. The driver (7.8) waits for ever when it writes to a
 * socket that is destroyed and whose `close` is still to come: `Connection.writeCommand` then waits for a `drain` that
 * nobody calls off. It happens to a look at the server when all connections break at once while calls are under way, and
 * then no other look is ever made, and every call fails with `MongoServerSelectionError` until the process ends.
 *
 * Returns what ends the watch.
 */
export function watchHeartbeats(client: MongoClient, options: HeartbeatWatchOptions): () => void {
  /** Until when the look at each server has to have ended. */
  const dueAtMs = new Map<string, number>();
  let isReconnecting = false;
  let isEnded = false;
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    const { connectTimeoutMs, heartbeatFrequencyMs } = options;
    const mayTakeMs = connectTimeoutMs + graceMs + (awaited ? heartbeatFrequencyMs : 0);
    dueAtMs.set(connectionId, performance.now() + mayTakeMs);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => dueAtMs.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => dueAtMs.delete(connectionId));
  client.on('serverClosed', ({ address }) => dueAtMs.delete(address));

  async function reconnect(): Promise<void> {
    isReconnecting = true;
    await withDeadline(client.close(), closeWithinMs, 'MongoDB, close').catch(() => undefined);
    dueAtMs.clear();
    // Should it fail, the next call connects.
    if (!isEnded) await client.connect().catch(() => undefined);
    if (isEnded) await client.close().catch(() => undefined);
    isReconnecting = false;
  }

  const timer = setInterval(() => {
    if (isReconnecting) return;
    const now = performance.now();
    const stuck = [...dueAtMs].find(([, dueMs]) => dueMs < now);
    if (stuck === undefined) return;
    options.onStuck(stuck[0]);
    void reconnect();
  }, lookEveryMs);
  timer.unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
