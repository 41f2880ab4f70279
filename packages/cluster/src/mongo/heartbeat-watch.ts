import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { MongoClient } from 'mongodb';

const tickMs = 500;
/** What a look at a server may take beyond the time-outs that the driver gives it. */
const graceMs = 1_000;
/** Above all that the driver's time-outs allow it to wait for: what takes longer does not end. */
const closeWithinMs = 15_000;
const connectBackoff = { firstMs: 100, maxMs: 2_000 };

export interface HeartbeatWatchOptions {
  /** Told the address of the server at which a look does not end. */
  readonly onStuck: (address: string) => void;
  /** Told that the client cannot be connected anew: only another process finds the server again. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Connects a client anew when its look at a server does not end. The driver (7.8) waits for ever when it writes to a
 * socket that is destroyed and whose `close` is still to come: `Connection.writeCommand` then waits for a `drain` that
 * nobody calls off. It happens to a look at the server when all connections break at once while calls are under way, and
 * then no other look is ever made, and every call fails with `MongoServerSelectionError` until the process ends.
 *
 * Returns what ends the watch.
 */
export function watchHeartbeats(client: MongoClient, { onStuck, onFatal }: HeartbeatWatchOptions): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  /** How many ticks the look at each server has left. Not a time: in a process that stood still no look can end. */
  const ticksLeft = new Map<string, number>();
  let isReconnecting = false;
  /** How many ticks the client has left to close; null while it is not closing. */
  let closeTicksLeft: number | null = null;
  const ending = new AbortController();
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    const mayTakeMs = connectTimeoutMS + graceMs + (awaited ? heartbeatFrequencyMS : 0);
    ticksLeft.set(connectionId, Math.ceil(mayTakeMs / tickMs));
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => ticksLeft.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => ticksLeft.delete(connectionId));
  client.on('serverClosed', ({ address }) => ticksLeft.delete(address));

  /** Nobody else does: a client that was closed, or failed to connect, does not connect when it is used. */
  async function reconnect(): Promise<void> {
    isReconnecting = true;
    closeTicksLeft = closeWithinMs / tickMs;
    await client.close().catch(() => undefined);
    closeTicksLeft = null;
    ticksLeft.clear();
    for (let failures = 1; !ending.signal.aborted && !(await connects()); failures += 1) {
      await systemClock.sleep(backoffMs(failures, connectBackoff), ending.signal);
    }
    if (ending.signal.aborted) await client.close().catch(() => undefined);
    isReconnecting = false;
  }

  /** Within the time that the client waits for a server, and then for a connection. */
  function connects(): Promise<boolean> {
    return client.connect().then(
      () => true,
      () => false,
    );
  }

  const timer = setInterval(() => {
    if (closeTicksLeft !== null) closeTicksLeft -= 1;
    // As long as it is not closed the client holds on to what it had, and `connect` does nothing.
    if (closeTicksLeft === 0) onFatal(new Error(`the MongoDB client was not closed within ${closeWithinMs} ms`));
    if (isReconnecting) return;
    for (const [address, left] of ticksLeft) {
      ticksLeft.set(address, left - 1);
      if (left > 0) continue;
      onStuck(address);
      void reconnect();
      return;
    }
  }, tickMs);
  timer.unref();
  return () => {
    ending.abort();
    clearInterval(timer);
  };
}
