import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { MongoClient } from 'mongodb';

const tickMs = 500;
/** What a look at a server may take beyond the time-outs that the driver gives it. */
const graceMs = 1_000;
const closeWithinMs = 2_000;

/**
 * Connects a client anew when its look at a server does not end. The driver (7.8) waits for ever when it writes to a
 * socket that is destroyed and whose `close` is still to come: `Connection.writeCommand` then waits for a `drain` that
 * nobody calls off. It happens to a look at the server when all connections break at once while calls are under way, and
 * then no other look is ever made, and every call fails with `MongoServerSelectionError` until the process ends.
 *
 * `onStuck` is told the server's address. Returns what ends the watch.
 */
export function watchHeartbeats(client: MongoClient, onStuck: (address: string) => void): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  /** How many ticks the look at each server has left. Not a time: in a process that stood still no look can end. */
  const ticksLeft = new Map<string, number>();
  let isReconnecting = false;
  let isEnded = false;
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    const mayTakeMs = connectTimeoutMS + graceMs + (awaited ? heartbeatFrequencyMS : 0);
    ticksLeft.set(connectionId, Math.ceil(mayTakeMs / tickMs));
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => ticksLeft.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => ticksLeft.delete(connectionId));
  client.on('serverClosed', ({ address }) => ticksLeft.delete(address));

  async function reconnect(address: string): Promise<void> {
    isReconnecting = true;
    await withDeadline(client.close(), closeWithinMs, 'MongoDB, close').catch(() => undefined);
    ticksLeft.clear();
    // Should it fail, the next call connects; should it hang as well, every call would wait for it.
    const connecting: Promise<unknown> = isEnded ? Promise.resolve() : client.connect().catch(() => undefined);
    await withDeadline(connecting, connectTimeoutMS, 'MongoDB, connect').catch(() => ticksLeft.set(address, 0));
    if (isEnded) await client.close().catch(() => undefined);
    isReconnecting = false;
  }

  const timer = setInterval(() => {
    if (isReconnecting) return;
    for (const [address, left] of ticksLeft) {
      ticksLeft.set(address, left - 1);
      if (left > 0) continue;
      onStuck(address);
      void reconnect(address);
      return;
    }
  }, tickMs);
  timer.unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
