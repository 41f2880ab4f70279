import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/builders.ts';
import { aBatch, batches, idsOf, onQueue } from '../drivers/hook-batches.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { startStopwatch } from '../drivers/stopwatch.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('HookQueue', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend({ hookPartitions: 2 });
  });
  afterAll(() => store.dispose());
  const queue = () => store.backend.hookQueue;

  const { enqueueAll, consume } = onQueue(queue);

  it('gives a batch as it was enqueued', async () => {
    const items: QueueItem[] = [
      { type: 'delivery', delivery: aDelivery({ payload: awkwardPayload, kind: 'retired', redrive: true }) },
      { type: 'delivery', delivery: aDelivery({ occurredAt: '2026-03-01T10:00:00.123456789z' }) },
      { type: 'nudge', widgetId: createUuidV7() },
      { type: 'delivery', delivery: aDelivery({ widgetId: null, payload: null }) },
      { type: 'delivery', delivery: aDelivery({ payload: '{"text":"Ünï 🦄 \\ud83e\\u0000"}' }) },
    ];
    const batch = aBatch(items);
    await queue().enqueue(batch);
    const [consumed] = await consume(1);
    expect(consumed).toMatchObject({ jobId: batch.jobId, partition: 0, startCount: 1 });
    expect(consumed?.items).toEqual(items);
  });

  it('takes a batch of 256 with large payloads', async () => {
    const payload = JSON.stringify({ filling: 'x'.repeat(1900) });
    const items = Array.from(
      { length: 256 },
      (): QueueItem => ({ type: 'delivery', delivery: aDelivery({ payload }) }),
    );
    await queue().enqueue(aBatch(items));
    expect((await consume(1))[0]?.items).toEqual(items);
  });

  it('starts the batches of a partition in order of arrival, one at a time', async () => {
    const list = batches(8);
    await enqueueAll(list);
    let running = 0;
    const started = await consume(8, async (): Promise<ConsumeOutcome> => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'done';
    });
    expect(idsOf(started)).toEqual(idsOf(list));
    expect(started.map(({ startCount }) => startCount)).toEqual(Array(8).fill(1));
  });

  it('keeps every one of many that are enqueued at once, and starts it once', async () => {
    const list = batches(100);
    await Promise.all(list.map((batch) => queue().enqueue(batch)));
    expect(idsOf(await consume(100)).sort()).toEqual(idsOf(list).sort());
    expect((await queue().pressure()).waitingJobs).toBe(0);
  });

  it('consumes every partition', async () => {
    const list = Array.from({ length: queue().partitionCount }, (_, partition) => aBatch(undefined, partition));
    await enqueueAll(list);
    const started = await consume(list.length);
    const seen = started.map(({ jobId, partition }) => ({ jobId, partition }));
    expect(seen).toEqual(expect.arrayContaining(list.map(({ jobId, partition }) => ({ jobId, partition }))));
  });

  it('wakes a waiting consumer at once', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [first, second];
    const consumer = await queue().consume(async () => {
      waits.shift()?.resolve();
      return 'done';
    });
    await queue().enqueue(aBatch());
    await first.promise;
    const elapsedMs = startStopwatch();
    await queue().enqueue(aBatch());
    await second.promise;
    expect(elapsedMs()).toBeLessThan(1000);
    consumer.checkProgress();
    await consumer.close();
  });

  describe('a batch enqueued again', () => {
    it('is not stored twice while it waits', async () => {
      const [first, second] = batches(2);
      if (first === undefined || second === undefined) throw new Error('two batches');
      await enqueueAll([first, first, second, first]);
      expect(idsOf(await consume(2))).toEqual(idsOf([first, second]));
      expect((await queue().pressure()).waitingJobs).toBe(0);
    });

    it('is not stored twice while it runs', async () => {
      const [first, second] = batches(2);
      if (first === undefined || second === undefined) throw new Error('two batches');
      await queue().enqueue(first);
      const started = await consume(2, async (batch): Promise<ConsumeOutcome> => {
        if (batch.jobId === first.jobId) await enqueueAll([first, second]);
        return 'done';
      });
      expect(idsOf(started)).toEqual(idsOf([first, second]));
    });

    it('is stored once when it comes many times at once', async () => {
      const [first, second] = batches(2);
      if (first === undefined || second === undefined) throw new Error('two batches');
      await Promise.all(Array.from({ length: 10 }, () => queue().enqueue(first)));
      await queue().enqueue(second);
      expect(idsOf(await consume(2))).toEqual(idsOf([first, second]));
    });
  });

  describe('the pressure', () => {
    it('counts the batches that wait', async () => {
      const before = (await queue().pressure()).waitingJobs;
      await enqueueAll(batches(3));
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

  describe('closing a consumer', () => {
    it('aborts what runs and waits for it; what was handed back is first for the next', async () => {
      const list = batches(2);
      await enqueueAll(list);
      const entered = Promise.withResolvers<void>();
      let hasLeft = false;
      const consumer = await queue().consume(async ({ signal }) => {
        expect(signal.aborted).toBe(false);
        entered.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        hasLeft = true;
        return 'release';
      });
      await entered.promise;
      consumer.checkProgress();
      await consumer.close();
      expect(hasLeft).toBe(true);
      const started = await consume(2);
      expect(idsOf(started)).toEqual(idsOf(list));
      expect(started[0]?.startCount).toBeGreaterThan(1);
    });

    it('lets what runs become done', async () => {
      const [first, second] = batches(2);
      if (first === undefined || second === undefined) throw new Error('two batches');
      await queue().enqueue(first);
      const entered = Promise.withResolvers<void>();
      const consumer = await queue().consume(async ({ signal }) => {
        entered.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return 'done';
      });
      await entered.promise;
      await consumer.close();
      await queue().enqueue(second);
      expect(idsOf(await consume(1))).toEqual([second.jobId]);
    });

    it('takes no more, and may be done twice', async () => {
      const started: string[] = [];
      const consumer = await queue().consume(async ({ jobId }) => {
        started.push(jobId);
        return 'done';
      });
      await consumer.close();
      const batch = aBatch();
      await queue().enqueue(batch);
      expect(idsOf(await consume(1))).toEqual([batch.jobId]);
      expect(started).toEqual([]);
      await consumer.close();
    });
  });

  describe('after a reopen', () => {
    it('everything that waited is there, in its order, and the unfinished batch is first and started again', async () => {
      const list = batches(4);
      await enqueueAll(list);
      const [first, ...rest] = idsOf(list);
      const entered = Promise.withResolvers<void>();
      const consumer = await queue().consume(async ({ signal }) => {
        entered.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return 'release';
      });
      await entered.promise;
      await consumer.close();
      await store.reopen();
      const started = await consume(4);
      expect(idsOf(started)).toEqual([first, ...rest]);
      expect(started[0]?.startCount).toBeGreaterThan(1);
      expect(started[0]?.items).toEqual(list[0]?.items);
    });

    it('what was done stays done', async () => {
      const [first, second] = batches(2);
      if (first === undefined || second === undefined) throw new Error('two batches');
      await queue().enqueue(first);
      await consume(1);
      await store.reopen();
      await queue().enqueue(second);
      expect(idsOf(await consume(1))).toEqual([second.jobId]);
    });
  });
});
