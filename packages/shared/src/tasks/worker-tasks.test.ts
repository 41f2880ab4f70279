import { afterEach, expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { createUuidV7 } from '../domain/uuid.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import type { ConsumedBatch, ConsumeOptions, ConsumeOutcome, HookQueue } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { StoreConnectivity } from './store-connectivity.ts';
import { createHookConsumerTask, createOutboxScannerTask, createWorkerTasks } from './worker-tasks.ts';

test('exposes the dead-letter counters as 0 from the start, so that the first dead letter is an increase', async () => {
  const logger = await createLogger({ level: 'silent' });
  const metrics = createMetrics();
  // The tasks do not run, so they use no store.
  const backend = {} as Backend;
  createWorkerTasks({ backend, clock: systemClock, logger, metrics });
  const text = await metrics.registry.metrics();
  expect(text).toContain('widget_deliveries_dead_total{reason="store-refused"} 0\n');
  expect(text).toContain('widget_deliveries_dead_total{reason="invalid-delivery"} 0\n');
});

test('each task says which stores it needs, so that /readyz can name them', async () => {
  const silent = await createLogger({ level: 'silent' });
  const deps = { backend: {} as Backend, clock: systemClock, logger: silent, metrics: createMetrics() };
  const stores = createWorkerTasks({ ...deps, outboxScanAgeMs: 5_000 }).map((task) => [task.name, [...task.stores]]);
  expect(Object.fromEntries(stores)).toMatchObject({
    'hook-consumer': ['documents', 'queue', 'events'],
    'hook-queue': ['queue'],
    'outbox-scanner': ['documents', 'queue'],
    retention: ['documents', 'events'],
  });
});

const logger = await createLogger({ level: 'silent' });
let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

/** A consumer whose stores never answer, on a clock that the test sets. Its pauses end only by their signal. */
async function startConsumer() {
  const state = { nowMs: 0, pauses: 0, handle: async (_: ConsumedBatch): Promise<ConsumeOutcome> => 'done' };
  const fail = async () => {
    throw new UnavailableError('the stores do not answer');
  };
  const consume: HookQueue['consume'] = async (handle) => {
    state.handle = handle;
    return { checkProgress: () => undefined, close: async () => undefined };
  };
  const clock = {
    ...systemClock,
    monotonicMs: () => state.nowMs,
    sleep: (_: number, signal?: AbortSignal) => {
      state.pauses += 1;
      return new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve());
      });
    },
  };
  const stores = new StoreConnectivity({
    runs: { startRun: fail as never },
    eventLog: { inspect: fail },
    findMismatch: fail,
    clock,
    logger,
  });
  const match = { reason: null, waitUntilChecked: async () => undefined };
  const task = createHookConsumerTask({ consume }, match, {
    stores,
    batches: { process: fail, waitForRuns: async () => undefined },
    progress: { recordProgress: () => undefined },
    ledger: { markDead: fail },
    quarantine: { insert: fail },
    clock,
    logger,
    metrics: createMetrics(),
  });
  void task.run(stop.signal);
  await new Promise(setImmediate);
  /** Starts a job of the partition. Resolves once its first run has failed. */
  const start = async (partition: number) => {
    const { signal } = new AbortController();
    const item = { type: 'nudge', widgetId: 'w' } as const;
    const batch = { jobId: `job-${partition}`, partition, items: [item], unreadable: [], startCount: 1, signal };
    const outcome = state.handle(batch);
    for (const pausesBefore = state.pauses; state.pauses === pausesBefore; ) await new Promise(setImmediate);
    return { outcome };
  };
  return { task, state, start };
}

test('releases every job once its stores are unreachable, also a job that waits for its next run', async () => {
  const { state, start } = await startConsumer();
  const { outcome } = await start(0);
  state.nowMs = 10_000;
  const { outcome: otherOutcome } = await start(1);
  expect(await Promise.all([outcome, otherOutcome])).toEqual(['release', 'release']);
});

test('makes the process unready while its stores are unreachable', async () => {
  const { task, state, start } = await startConsumer();
  await start(0);
  expect(task.unreadyReason()).toBeNull();
  state.nowMs = 10_000;
  await start(1);
  expect(task.unreadyReason()).toContain('do not answer');
});

test('starts no job before the stores were found to fit together', async () => {
  const checked = Promise.withResolvers<void>();
  let waitUntilReady: ConsumeOptions['waitUntilReady'];
  const clock = systemClock;
  const query = async () => null;
  const deps = { runs: { startRun: query as never }, eventLog: { inspect: query }, findMismatch: query, clock, logger };
  const process = async () => {
    throw new Error('This test processes nothing.');
  };
  const consume: HookQueue['consume'] = async (_, options) => {
    waitUntilReady = options?.waitUntilReady;
    return { checkProgress: () => undefined, close: async () => undefined };
  };
  const match = { reason: null, waitUntilChecked: () => checked.promise };
  const task = createHookConsumerTask({ consume }, match, {
    stores: new StoreConnectivity(deps),
    batches: { process, waitForRuns: async () => undefined },
    progress: { recordProgress: () => undefined },
    ledger: { markDead: async () => undefined },
    quarantine: { insert: async () => true },
    clock,
    logger,
    metrics: createMetrics(),
  });
  void task.run(stop.signal);
  await new Promise(setImmediate);
  let isReady = false;
  const waiting = waitUntilReady?.(stop.signal).then(() => {
    isReady = true;
  });
  await new Promise(setImmediate);
  expect(isReady).toBe(false);
  checked.resolve();
  await waiting;
  expect(isReady).toBe(true);
});

const aBacklog = (widgetCount: number) =>
  Array.from({ length: widgetCount }, (_, n) => ({ widgetId: createUuidV7(), since: new Date(n) }));

/**
 * Scans a backlog of 1 000 widgets and returns the pause after each scan, in milliseconds. `isJobProcessed` decides
 * after which scans a worker processes the scanner's job.
 */
async function recordScannerPauses(scans: number, isJobProcessed: (scan: number) => boolean): Promise<number[]> {
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

test('the outbox scanner scans again after 100 ms while full jobs are processed', async () => {
  expect(await recordScannerPauses(6, () => true)).toEqual([100, 100, 100, 200, 400, 800]);
});

test('the outbox scanner doubles its pauses while full jobs wait', async () => {
  expect(await recordScannerPauses(6, () => false)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(await recordScannerPauses(6, (scan) => scan === 3)).toEqual([100, 200, 400, 100, 200, 400]);
});

test('the outbox scanner stops after the current page when it is aborted', async () => {
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
