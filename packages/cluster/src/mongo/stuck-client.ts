import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { MongoClient } from 'mongodb';

/** How often the watch checks the client. */
const tickMs = 500;
/** How long a heartbeat may take beyond the driver's own time-outs. */
const graceMs = 1_000;
/** Above the time-outs that a close can wait for: server selection (1.5 s), connect (5 s) and socket (8 s). */
const closeWithinMs = 15_000;
const connectBackoff = { firstMs: 100, maxMs: 2_000 };

export interface StuckClientOptions {
  /** Receives the address of the server whose heartbeat does not end. */
  readonly onStuck: (address: string) => void;
  /** Called when the client cannot be closed, and so cannot reconnect: the process must end. */
  readonly onFatal: (error: Error) => void;
}

/**
 * Reconnects a client whose heartbeat does not end. Returns a function that stops the watch.
 *
 * The driver (7.8) can wait for ever. When it writes to a destroyed socket that has not emitted `close` yet,
 * `Connection.writeCommand` waits for a `drain` that never comes. This happens to a heartbeat when all connections
 * break at once during calls. Then the driver sends no other heartbeat, and every call fails with
 * `MongoServerSelectionError` until the process ends.
 */
export function reconnectStuckClient(client: MongoClient, { onStuck, onFatal }: StuckClientOptions): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  /**
   * How many ticks the heartbeat of each server has left. Ticks are counted instead of time, because no heartbeat can
   * end while the process is frozen.
   */
  const heartbeatTicksLeft = new Map<string, number>();
  let isReconnecting = false;
  /** How many ticks the client has left to close. Null while it is not closing. */
  let closeTicksLeft: number | null = null;
  const stopped = new AbortController();
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    const timeoutMs = connectTimeoutMS + graceMs + (awaited ? heartbeatFrequencyMS : 0);
    heartbeatTicksLeft.set(connectionId, Math.ceil(timeoutMs / tickMs));
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => heartbeatTicksLeft.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => heartbeatTicksLeft.delete(connectionId));
  client.on('serverClosed', ({ address }) => heartbeatTicksLeft.delete(address));

  /** Retries until it succeeds: a client that was closed, or failed to connect, does not connect by itself. */
  async function reconnect(): Promise<void> {
    isReconnecting = true;
    closeTicksLeft = closeWithinMs / tickMs;
    await client.close().catch(() => undefined);
    closeTicksLeft = null;
    heartbeatTicksLeft.clear();
    for (let failures = 1; !stopped.signal.aborted && !(await tryConnect()); failures += 1) {
      await systemClock.sleep(backoffMs(failures, connectBackoff), stopped.signal);
    }
    if (stopped.signal.aborted) await client.close().catch(() => undefined);
    isReconnecting = false;
  }

  /** Resolves within the client's time-outs for server selection and connection. */
  function tryConnect(): Promise<boolean> {
    return client.connect().then(
      () => true,
      () => false,
    );
  }

  const timer = setInterval(() => {
    if (closeTicksLeft !== null) closeTicksLeft -= 1;
    // Until it is closed, the client keeps its broken connections, and `connect` does nothing.
    if (closeTicksLeft === 0) {
      onFatal(new Error(`MongoDB client is stuck: it did not close within ${closeWithinMs} ms; the process must end`));
    }
    if (isReconnecting) return;
    for (const [address, ticksLeft] of heartbeatTicksLeft) {
      heartbeatTicksLeft.set(address, ticksLeft - 1);
      if (ticksLeft > 0) continue;
      onStuck(address);
      void reconnect();
      return;
    }
  }, tickMs);
  timer.unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
  };
}
