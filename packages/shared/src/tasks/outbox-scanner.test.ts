import { expect, test } from 'vitest';
import { createUuidV7 } from '../domain/uuid.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { createOutboxScannerTask } from './worker-tasks.ts';

const logger = await createLogger({ level: 'silent' });

const aBacklog = (widgetCount: number) =>
  Array.from({ length: widgetCount }, (_, n) => ({ widgetId: createUuidV7(), since: new Date(n) }));

/**
 * Scans a backlog of 1 000 widgets and returns the pause after each scan, in milliseconds. `isJobProcessed` decides
 * after which scans a worker processes the scanner's job.
 */
async function recordPauses(scans: number, isJobProcessed: (scan: number) => boolean): Promise<number[]> {
  const unpublished = aBacklog(1_000);
  const pauses: number[] = [];
  const stop = new AbortController();
  const task = createOutboxScannerTask({
    outboxes: {
      findOverdue: async (_, limit) => unpublished.slice(0, limit),
      findFutureDated: async () => [],
    },
    hookQueue: { partitionCount: 1, enqueue: async () => undefined },
    clock: {
      ...systemClock,
      sleep: async (ms) => {
        pauses.push(ms);
        if (isJobProcessed(pauses.length)) unpublished.splice(0, 256);
        if (pauses.length === scans) stop.abort();
      },
    },
    scanAgeMs: 2_000,
    logger,
    metrics: createMetrics(),
  });
  await task.run(stop.signal);
  return pauses;
}

test('scans again after 100 ms while full jobs are processed', async () => {
  expect(await recordPauses(6, () => true)).toEqual([100, 100, 100, 200, 400, 800]);
});

test('doubles its pauses while full jobs wait', async () => {
  expect(await recordPauses(6, () => false)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(await recordPauses(6, (scan) => scan === 3)).toEqual([100, 200, 400, 100, 200, 400]);
});

test('stops after the current page when it is aborted', async () => {
  const stop = new AbortController();
  let pages = 0;
  const findPage = async (_: Date, limit: number) => {
    pages += 1;
    if (pages === 2) stop.abort();
    return aBacklog(limit);
  };
  const task = createOutboxScannerTask({
    outboxes: { findOverdue: findPage, findFutureDated: findPage },
    hookQueue: { partitionCount: 4, enqueue: async () => undefined },
    clock: systemClock,
    scanAgeMs: 2_000,
    logger,
    metrics: createMetrics(),
  });
  await task.run(stop.signal);
  expect(pages).toBe(2);
});
