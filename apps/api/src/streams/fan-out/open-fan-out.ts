import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import type { Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { Hub } from './hub.ts';
import { makeReadLog, makeReadPage } from './log-reader.ts';
import { Ring } from './ring.ts';
import { createTailTask, type TailDeps } from './tail.ts';

export interface FanOutDeps {
  readonly backend: Pick<Backend, 'eventLog' | 'runs'>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'eventsSent' | 'streamBytesSent'> & TailDeps['metrics'];
  /** Left out: no tracing. */
  readonly tracer?: Tracer;
}

/**
 * What brings events from the log to the pod's streams: the tail reads them, the ring keeps them, the hub sends them.
 */
export interface FanOut {
  readonly ring: Ring;
  readonly hub: Hub;
  /**
   * Creates the task that reads the event log into the ring as long as the pod runs. The task awaits `waitUntilFresh`
   * before it passes new events on (see `TailDeps`).
   */
  createTail(waitUntilFresh: () => Promise<void>): Task;
  /** Resolves when the ring has a position, or after `withinMs` milliseconds. */
  waitForPosition(withinMs: number): Promise<void>;
}

/** Bounds memory: up to 20 replay pages are read at once (`maxConcurrentReads`), and each is in memory as a whole. */
const maxPageBytes = 256 * 1024;

/** Connects the tail, the ring and the hub of a pod. */
export function openFanOut({ backend, settings, clock, logger, metrics, tracer }: FanOutDeps): FanOut {
  const { eventLog, runs } = backend;
  const unsentLimitBytes = settings.STREAM_UNSENT_LIMIT_BYTES;
  // A connection accepts no more than the unsent limit at once. The rest of a larger page would be read again.
  const targetBytes = Math.min(unsentLimitBytes, maxPageBytes);
  // The tail reads new events and a replay reads old ones. Their sizes may differ, so each has its own `ReadPage`.
  const readTailPage = makeReadPage(targetBytes);
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
    onSweep: ({ events, bytes }) => {
      metrics.eventsSent.inc(events);
      metrics.streamBytesSent.inc(bytes);
    },
  });
  const createTail = (waitUntilFresh: () => Promise<void>) =>
    createTailTask({
      ...{ eventLog, runs, readPage: readTailPage, ring, hub, waitUntilFresh, clock, logger, metrics },
      ...(tracer === undefined ? {} : { tracer }),
    });
  const waitForPosition = async (withinMs: number) => {
    for (let waitedMs = 0; ring.position() === null && waitedMs < withinMs; waitedMs += 10) await clock.sleep(10);
  };
  return { ring, hub, createTail, waitForPosition };
}
