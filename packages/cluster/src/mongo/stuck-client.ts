import { backoffMs, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type MongoClient, MongoStalePrimaryError } from 'mongodb';

/** How often the watch checks the client. */
const tickMs = 500;
/** How long a heartbeat may take beyond the driver's own time-outs. */
const graceMs = 1_000;
/** Above the time-outs that a close can wait for: server selection (1.5 s), connect (5 s) and socket (25 s). */
export const closeWithinMs = 35_000;
/**
 * How long a stale primary may be the only one. A primary that lost an election steps down after 10 s: then the set has
 * another one.
 */
const staleForMs = 30_000;
const connectBackoff = { firstMs: 100, maxMs: 2_000 };

/**
 * Reconnects a client that cannot recover by itself. Returns a function that stops the watch. `onStuck` gets the
 * address of the server that the client cannot use, and why. `onFatal` is called when the client cannot be closed, and
 * so cannot reconnect: the process must end.
 *
 * 1. A heartbeat does not end. The driver (7.8) can wait for ever. When it writes to a destroyed socket that has not
 *    emitted `close` yet, `Connection.writeCommand` waits for a `drain` that never comes. This happens to a heartbeat
 *    when all connections break at once during calls. Then the driver sends no other heartbeat, and every call fails
 *    with `MongoServerSelectionError` until the process ends.
 *
 * 2. The replica set was made anew: initiated again, or restored into new members under the same names. Its elections
 *    start at term 1. The driver remembers the highest term that it saw, and takes each new primary for one that lost
 *    an election. Example: the old set was at term 7; the primary of term 1 is ignored until term 7 is reached.
 */
export function reconnectStuckClient(
  client: MongoClient,
  onStuck: (address: string, reason: string) => void,
  onFatal: (error: Error) => void,
): () => void {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  /**
   * How many ticks the heartbeat of each server has left. Ticks are counted instead of time, because no heartbeat can
   * end while the process is frozen.
   */
  const heartbeatTicksLeft = new Map<string, number>();
  /** The primary that the driver takes for a stale one, and how many ticks it may stay the only one. */
  let stale: { readonly address: string; ticksLeft: number } | null = null;
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
  client.on('serverDescriptionChanged', ({ address, newDescription }) => {
    if (newDescription.error instanceof MongoStalePrimaryError) stale ??= { address, ticksLeft: staleForMs / tickMs };
  });
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    if ([...newDescription.servers.values()].some(({ type }) => type === 'RSPrimary')) stale = null;
  });
  client.on('serverClosed', ({ address }) => heartbeatTicksLeft.delete(address));

  /** Retries until it succeeds: a client that was closed, or failed to connect, does not connect by itself. */
  async function reconnect(): Promise<void> {
    isReconnecting = true;
    closeTicksLeft = closeWithinMs / tickMs;
    await client.close().catch(() => undefined);
    closeTicksLeft = null;
    heartbeatTicksLeft.clear();
    stale = null;
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
      onStuck(address, 'a heartbeat did not end');
      void reconnect();
      return;
    }
    if (stale !== null && --stale.ticksLeft < 0) {
      onStuck(stale.address, 'the replica set was made anew: its primary has a lower term than an earlier one');
      void reconnect();
    }
  }, tickMs);
  timer.unref();
  return () => {
    stopped.abort();
    clearInterval(timer);
  };
}
