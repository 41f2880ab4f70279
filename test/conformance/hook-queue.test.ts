import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/app/builders.ts';
import { aJob, buildJobs, driveQueue, getJobIds } from '../drivers/app/hook-jobs.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

const testBackend = await openSharedBackend({ hookPartitions: 2 });
const queue = () => testBackend.backend.hookQueue;

const { enqueueAll, consume } = driveQueue(queue);

describe('HookQueue.consume', () => {
  test('passes a batch unchanged to the handler', async () => {
    const items: QueueItem[] = [
      { type: 'delivery', delivery: aDelivery({ payload: awkwardPayload, kind: 'retired', redrive: true }) },
      { type: 'delivery', delivery: aDelivery({ occurredAt: '2026-03-01T10:00:00.123456789z' }) },
      { type: 'nudge', widgetId: createUuidV7() },
      { type: 'delivery', delivery: aDelivery({ widgetId: null, payload: null }) },
      { type: 'delivery', delivery: aDelivery({ payload: '{"text":"Ünï 🦄 \\ud83e\\u0000"}' }) },
    ];
    const batch = aJob(items);
    await queue().enqueue(batch);
    const [consumed] = await consume(1);
    expect(consumed).toMatchObject({ jobId: batch.jobId, partition: 0, startCount: 1 });
    expect(consumed?.items).toEqual(items);
  });

  test('accepts a batch of 256 deliveries with large payloads', async () => {
    const payload = JSON.stringify({ filling: 'x'.repeat(1900) });
    const items = Array.from(
      { length: 256 },
      (): QueueItem => ({ type: 'delivery', delivery: aDelivery({ payload }) }),
    );
    await queue().enqueue(aJob(items));
    expect((await consume(1))[0]?.items).toEqual(items);
  });

  test('starts the batches of a partition in order of arrival, one at a time', async () => {
    const list = buildJobs(8);
    await enqueueAll(list);
    let running = 0;
    const started = await consume(8, async (): Promise<ConsumeOutcome> => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'done';
    });
    expect(getJobIds(started)).toEqual(getJobIds(list));
    expect(started.map(({ startCount }) => startCount)).toEqual(Array(8).fill(1));
  });

  test('starts each batch once when 100 are enqueued at once', async () => {
    const list = buildJobs(100);
    await Promise.all(list.map((batch) => queue().enqueue(batch)));
    expect(getJobIds(await consume(100)).sort()).toEqual(getJobIds(list).sort());
    expect((await queue().pressure()).waitingJobs).toBe(0);
  });

  test('starts the batches of every partition', async () => {
    const list = Array.from({ length: queue().partitionCount }, (_, partition) => aJob(undefined, partition));
    await enqueueAll(list);
    const started = await consume(list.length);
    const jobs = started.map(({ jobId, partition }) => ({ jobId, partition }));
    expect(jobs).toEqual(expect.arrayContaining(list.map(({ jobId, partition }) => ({ jobId, partition }))));
  });

  test('starts a batch within a second when the consumer is idle', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pending = [first, second];
    const consumer = await queue().consume(async () => {
      pending.shift()?.resolve();
      return 'done';
    });
    await queue().enqueue(aJob());
    await first.promise;
    const elapsedMs = startStopwatch();
    await queue().enqueue(aJob());
    await second.promise;
    expect(elapsedMs()).toBeLessThan(1000);
    consumer.checkProgress();
    await consumer.close();
  });
});

describe('HookQueue.enqueue, with a known job id', () => {
  test('stores nothing while the batch waits', async () => {
    const [first, second] = buildJobs(2);
    if (first === undefined || second === undefined) throw new Error('Fewer than two batches were built.');
    await enqueueAll([first, first, second, first]);
    expect(getJobIds(await consume(2))).toEqual(getJobIds([first, second]));
    expect((await queue().pressure()).waitingJobs).toBe(0);
  });

  test('stores nothing while the batch runs', async () => {
    const [first, second] = buildJobs(2);
    if (first === undefined || second === undefined) throw new Error('Fewer than two batches were built.');
    await queue().enqueue(first);
    const started = await consume(2, async (batch): Promise<ConsumeOutcome> => {
      if (batch.jobId === first.jobId) await enqueueAll([first, second]);
      return 'done';
    });
    expect(getJobIds(started)).toEqual(getJobIds([first, second]));
  });

  test('stores the batch once when it is enqueued ten times at once', async () => {
    const [first, second] = buildJobs(2);
    if (first === undefined || second === undefined) throw new Error('Fewer than two batches were built.');
    await Promise.all(Array.from({ length: 10 }, () => queue().enqueue(first)));
    await queue().enqueue(second);
    expect(getJobIds(await consume(2))).toEqual(getJobIds([first, second]));
  });
});

describe('HookQueue.pressure', () => {
  test('counts the waiting batches, and returns the used memory as a ratio', async () => {
    const before = (await queue().pressure()).waitingJobs;
    await enqueueAll(buildJobs(3));
    const pressure = await queue().pressure();
    expect(pressure.waitingJobs).toBe(before + 3);
    if (pressure.memoryUsedRatio !== null) {
      expect(pressure.memoryUsedRatio).toBeGreaterThanOrEqual(0);
      expect(pressure.memoryUsedRatio).toBeLessThanOrEqual(1);
    }
    await consume(3);
    expect((await queue().pressure()).waitingJobs).toBe(before);
  });
});

describe('HookQueue.pressure: waitingByIntegration', () => {
  const build = (integrationId: string, payload: string | null) =>
    aJob([{ type: 'delivery', delivery: aDelivery({ integrationId, payload }) }]);
  const count = async (id: string) => (await queue().pressure()).waitingByIntegration.get(id);

  test('counts deliveries and the bytes of their payloads, until they are done', async () => {
    const [first, second] = [createUuidV7(), createUuidV7()];
    await enqueueAll([build(first, '{"a":"é"}'), build(first, null), build(second, '{}')]);
    expect(await count(first)).toEqual({ deliveries: 2, bytes: 10 });
    expect(await count(second)).toEqual({ deliveries: 1, bytes: 2 });
    await consume(2);
    await eventually(async () => (await count(first)) === undefined, 'the first two are done');
    expect(await count(second)).toEqual({ deliveries: 1, bytes: 2 });
    await consume(1);
    await eventually(async () => (await count(second)) === undefined, 'the last one is done');
  });

  test('still counts what was enqueued after a restart, when what was enqueued before it is done', async () => {
    const id = createUuidV7();
    await enqueueAll([build(id, '{}'), build(id, '{}')]);
    await count(id);
    await testBackend.reopen();
    await enqueueAll([build(id, '{}')]);
    await consume(2);
    await eventually(async () => (await count(id))?.deliveries === 1, 'the first two are done');
    await consume(1);
    await eventually(async () => (await count(id)) === undefined, 'the last one is done');
  });
});

describe('HookConsumer.close', () => {
  test('aborts the running batch and waits for it; the released batch starts first afterwards', async () => {
    const list = buildJobs(2);
    await enqueueAll(list);
    const handlerStarted = Promise.withResolvers<void>();
    let hasEnded = false;
    const consumer = await queue().consume(async ({ signal }) => {
      expect(signal.aborted).toBe(false);
      handlerStarted.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      hasEnded = true;
      return 'release';
    });
    await handlerStarted.promise;
    consumer.checkProgress();
    await consumer.close();
    expect(hasEnded).toBe(true);
    const started = await consume(2);
    expect(getJobIds(started)).toEqual(getJobIds(list));
    expect(started[0]?.startCount).toBeGreaterThan(1);
  });

  test('removes a running batch that ends as done', async () => {
    const [first, second] = buildJobs(2);
    if (first === undefined || second === undefined) throw new Error('Fewer than two batches were built.');
    await queue().enqueue(first);
    const handlerStarted = Promise.withResolvers<void>();
    const consumer = await queue().consume(async ({ signal }) => {
      handlerStarted.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return 'done';
    });
    await handlerStarted.promise;
    await consumer.close();
    await queue().enqueue(second);
    expect(getJobIds(await consume(1))).toEqual([second.jobId]);
  });

  test('starts no batch afterwards, and may be called twice', async () => {
    const started: string[] = [];
    const consumer = await queue().consume(async ({ jobId }) => {
      started.push(jobId);
      return 'done';
    });
    await consumer.close();
    const batch = aJob();
    await queue().enqueue(batch);
    expect(getJobIds(await consume(1))).toEqual([batch.jobId]);
    expect(started).toEqual([]);
    await consumer.close();
  });
});

describe('HookQueue, after a reopen', () => {
  test('starts the unfinished batch first, then the waiting batches in their order', async () => {
    const list = buildJobs(4);
    await enqueueAll(list);
    const [first, ...rest] = getJobIds(list);
    const handlerStarted = Promise.withResolvers<void>();
    const consumer = await queue().consume(async ({ signal }) => {
      handlerStarted.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return 'release';
    });
    await handlerStarted.promise;
    await consumer.close();
    await testBackend.reopen();
    const started = await consume(4);
    expect(getJobIds(started)).toEqual([first, ...rest]);
    expect(started[0]?.startCount).toBeGreaterThan(1);
    expect(started[0]?.items).toEqual(list[0]?.items);
  });

  test('starts no batch that was done', async () => {
    const [first, second] = buildJobs(2);
    if (first === undefined || second === undefined) throw new Error('Fewer than two batches were built.');
    await queue().enqueue(first);
    await consume(1);
    await testBackend.reopen();
    await queue().enqueue(second);
    expect(getJobIds(await consume(1))).toEqual([second.jobId]);
  });
});
