import { randomUUID } from 'node:crypto';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import type { TestBackend } from '../drivers/app/test-backend.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { enqueue } from './consume.ts';

/** A minute of the worker's clock takes 1.5 s. */
const clock = createFastClock(40);
const logger = await createLogger({ level: 'silent' });

let testBackend: TestBackend;
beforeEach(async () => {
  testBackend = await openTestBackend({ hookPartitions: 1 });
});
afterEach(() => testBackend.dispose());

/** Starts the real tasks of a worker. `lines` returns the failing checks, as `/readyz` shows them. */
function startWorker(backend: Backend) {
  const tasks = createWorkerTasks({ backend, clock, logger, metrics: createMetrics() });
  const supervisor = new Supervisor(tasks, clock, () => undefined);
  supervisor.start();
  const listFailing = () =>
    supervisor.checks().flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`]));
  return { listFailing, stop: () => supervisor.stop() };
}

/** A backend whose runs hang at their first call of a store, until `release`. */
function hangRuns(backend: Backend) {
  const released = Promise.withResolvers<void>();
  const runs: Backend['runs'] = {
    startRun: () => released.promise.then(() => backend.runs.startRun()),
    lastPosition: () => backend.runs.lastPosition(),
    recordPosition: (position, expected) => backend.runs.recordPosition(position, expected),
  };
  return { backend: { ...backend, runs }, release: released.resolve };
}

const stuck = /^hook-queue: no worker has finished a job of [\w-]+ for \d+ s, and 1 wait$/;

describe('readiness of a worker whose run hangs', () => {
  test('fails after a minute, and succeeds once the job is done', async () => {
    const { backend, release } = hangRuns(testBackend.backend);
    const worker = startWorker(backend);
    onTestFinished(() => worker.stop());
    await eventually(async () => worker.listFailing().length === 0, 'the worker is ready');
    await enqueue(testBackend.backend, [aDelivery()]);
    await eventually(async () => worker.listFailing().length > 0, 'the worker is not ready');
    expect(worker.listFailing()).toEqual([expect.stringMatching(stuck)]);
    release();
    await eventually(async () => worker.listFailing().length === 0, 'the worker is ready again');
    expect(await testBackend.backend.hookQueue.pressure()).toMatchObject({ waitingJobs: 0 });
  });

  test.runIf(inject('backend') === 'cluster')('stays good for a worker that stands by', async () => {
    const peer = await testBackend.openPeer?.();
    if (peer === undefined) throw new Error('the cluster backend has peers');
    const { backend, release } = hangRuns(testBackend.backend);
    const hanging = startWorker(backend);
    await enqueue(testBackend.backend, [aDelivery()]);
    await eventually(async () => (await peer.hookQueue.inspect()).some((queue) => queue.isActiveElsewhere), 'it hangs');
    const standby = startWorker(peer);
    await eventually(async () => hanging.listFailing().length > 0, 'the hanging worker is not ready');
    // Another minute: the standby has seen the same job for longer than that.
    const untilMs = clock.monotonicMs() + 60_000;
    await eventually(async () => {
      expect(standby.listFailing()).toEqual([]);
      return clock.monotonicMs() > untilMs;
    }, 'a minute has passed');
    expect(hanging.listFailing()).toEqual([expect.stringMatching(stuck)]);
    release();
    await eventually(async () => hanging.listFailing().length === 0, 'both are ready');
    await Promise.all([hanging.stop(), standby.stop()]);
    await peer.close();
  });
});

describe.runIf(inject('backend') === 'cluster')('readiness while nobody starts a waiting job', () => {
  test('fails on every worker, and succeeds once a worker starts the job', async () => {
    const peer = await testBackend.openPeer?.();
    if (peer === undefined) throw new Error('the cluster backend has peers');
    const resume = await pauseQueue();
    const workers = [testBackend.backend, peer].map(startWorker);
    const countUnready = () => workers.filter((worker) => worker.listFailing().some((line) => stuck.test(line))).length;
    await eventually(async () => countUnready() === 2, 'both workers are not ready');
    await resume();
    await eventually(async () => countUnready() === 0, 'both workers are ready');
    await Promise.all(workers.map((worker) => worker.stop()));
    await peer.close();
  });
});

/**
 * Enqueues a job, and pauses its queue as an operator can with a dashboard of BullMQ. The returned function resumes it.
 */
async function pauseQueue(): Promise<() => Promise<unknown>> {
  const jobId = `job-${randomUUID()}`;
  const item = { type: 'delivery', delivery: aDelivery() } as const;
  await testBackend.backend.hookQueue.enqueue({ jobId, partition: 0, items: [item] });
  const redis = new Redis(findQueueRedis().operatorUrl);
  onTestFinished(() => redis.disconnect());
  const [key = ''] = await redis.keys(`*:${jobId}`);
  const meta = key.replace(jobId, 'meta');
  await redis.hset(meta, 'paused', '1');
  return () => redis.hdel(meta, 'paused');
}

/** A clock on which `factor` seconds pass in each real one. Its pauses are as much shorter. */
function createFastClock(factor: number): Clock {
  const startedAtMs = Date.now();
  const passedMs = () => factor * performance.now();
  const firstMs = passedMs();
  return {
    now: () => new Date(startedAtMs + passedMs() - firstMs),
    monotonicMs: passedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}
