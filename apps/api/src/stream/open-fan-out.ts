import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import { Hub } from './hub.ts';
import { makeReadLog, makeReadPage } from './log-reader.ts';
import { Ring } from './ring.ts';
import { createTailTask } from './tail.ts';

export interface FanOutDeps {
  readonly backend: Pick<Backend, 'eventLog' | 'runs'>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'eventsSent'>;
}

export interface FanOut {
  readonly ring: Ring;
  readonly hub: Hub;
  /** The task that feeds it, as long as the pod runs. `confirmRights` looks the rights of the open streams up. */
  createTail(confirmRights: () => Promise<void>): Task;
  /** Resolves once the tail knows a position, or after `withinMs`. */
  waitForPosition(withinMs: number): Promise<void>;
}

/** Many pages are read at once, and each at once as a whole. */
const pageMaxBytes = 256 * 1024;

/** Puts the way from the event log to the connections together: tail, ring, hub. */
export function openFanOut({ backend, settings, clock, logger, metrics }: FanOutDeps): FanOut {
  const { eventLog, runs } = backend;
  const unsentLimitBytes = settings.STREAM_UNSENT_LIMIT_BYTES;
  // What a connection can be given at once: the rest of a larger page would have to be read again.
  const targetBytes = Math.min(unsentLimitBytes, pageMaxBytes);
  // What the tail reads is new, what a replay reads is old: their events may differ in size.
  const readNew = makeReadPage(targetBytes);
  const ring = new Ring({ frames: settings.RING_FRAMES, bytes: settings.RING_BYTES });
  const hub = new Hub({
    ring,
    readLog: makeReadLog(eventLog, makeReadPage(targetBytes)),
    clock,
    options: {
      heartbeatIntervalMs: settings.HEARTBEAT_INTERVAL_MS,
      lifetimeMs: settings.STREAM_LIFETIME_MS,
      unsentLimitBytes,
      stallMs: settings.STREAM_STALL_MS,
    },
    onEventsSent: (events) => metrics.eventsSent.inc(events),
  });
  const createTail = (waitUntilFresh: () => Promise<void>) =>
    createTailTask({ eventLog, runs, readPage: readNew, ring, hub, waitUntilFresh, clock, logger });
  const waitForPosition = async (withinMs: number) => {
    for (let waitedMs = 0; ring.position() === null && waitedMs < withinMs; waitedMs += 10) await clock.sleep(10);
  };
  return { ring, hub, createTail, waitForPosition };
}
