import { expect, it } from 'vitest';
import { createUuidV7 } from '../domain/uuid.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createOutboxScannerTask } from './outbox-scanner.ts';

const logger = await createLogger({ level: 'silent' });

const aBacklog = (widgets: number) =>
  Array.from({ length: widgets }, (_, n) => ({ widgetId: createUuidV7(), since: new Date(n) }));

/** The pauses after each of so many scans of a backlog of 1 000 widgets; `carryOut` tells after which scans a job goes. */
async function pausesMs(scans: number, carryOut: (scan: number) => boolean): Promise<number[]> {
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
        if (carryOut(pauses.length)) unpublished.splice(0, 256);
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

it('scans again soon while full jobs are carried out', async () => {
  expect(await pausesMs(6, () => true)).toEqual([100, 100, 100, 200, 400, 800]);
});

it('comes to rest while they wait', async () => {
  expect(await pausesMs(6, () => false)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(await pausesMs(6, (scan) => scan === 3)).toEqual([100, 200, 400, 100, 200, 400]);
});

it('stops after the page it is at', async () => {
  const stop = new AbortController();
  let pages = 0;
  const find = async (_: Date, limit: number) => {
    pages += 1;
    if (pages === 2) stop.abort();
    return aBacklog(limit);
  };
  const task = createOutboxScannerTask({
    outboxes: { findOverdue: find, findFutureDated: find },
    hookQueue: { partitionCount: 4, enqueue: async () => undefined },
    clock: systemClock,
    scanAgeMs: 2_000,
    logger,
    metrics: createMetrics(),
  });
  await task.run(stop.signal);
  expect(pages).toBe(2);
});
