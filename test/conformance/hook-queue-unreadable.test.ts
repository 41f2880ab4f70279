import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { describe, expect, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const toItem = (delivery: Delivery): QueueItem => ({ type: 'delivery', delivery });

describe('HookQueue.consume, with unreadable jobs', async () => {
  let onWarning: (message: string) => unknown = () => undefined;
  const testBackend = await openSharedBackend({ hookPartitions: 1, onWarning: (message) => void onWarning(message) });

  async function enqueue(items: readonly QueueItem[]): Promise<string> {
    const jobId = `job-${randomUUID()}`;
    await testBackend.backend.hookQueue.enqueue({ jobId, partition: 0, items });
    return jobId;
  }

  const aNudge = (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() });

  /** Consumes with coalescing until `lastJobId` is done. Returns every run. */
  async function consumeThrough(
    lastJobId: string,
    handle: (batch: ConsumedBatch) => ConsumeOutcome = () => 'done',
  ): Promise<ConsumedBatch[]> {
    const runs: ConsumedBatch[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const consumer = await testBackend.backend.hookQueue.consume(
      async (batch) => {
        runs.push(batch);
        const outcome = handle(batch);
        if (batch.jobId === lastJobId && outcome === 'done') setImmediate(resolve);
        return outcome;
      },
      { coalesce: true },
    );
    await promise;
    await consumer.close();
    expect((await testBackend.backend.hookQueue.pressure()).waitingJobs).toBe(0);
    return runs;
  }

  test('passes the readable items of a job, and its unreadable items apart from them', async () => {
    const [first, last] = [toItem(aDelivery()), toItem(aDelivery())];
    const broken = aDelivery({ kind: 'archived' as never, payload: '{"n":1e400}' });
    const jobId = await enqueue([first, toItem(broken), last]);
    const [run] = await consumeThrough(jobId);
    expect(run?.items).toEqual([first, last]);
    const { redrive: _, ...members } = broken;
    expect(run?.unreadable).toEqual([{ text: expect.stringContaining(broken.eventId), delivery: members }]);
  });

  test('passes the text of a job that is malformed as a whole, and starts the next job', async () => {
    const jobId = await testBackend.enqueueText('{"version":1,"items":[{"t":');
    const nudge = aNudge();
    const nextId = await enqueue([nudge]);
    const runs = await consumeThrough(nextId);
    expect(runs.map((run) => run.jobId)).toEqual([jobId, nextId]);
    expect(runs[0]).toMatchObject({
      items: [],
      unreadable: [{ text: '{"version":1,"items":[{"t":', delivery: null }],
    });
    expect(runs[1]).toMatchObject({ items: [nudge], unreadable: [] });
  });

  test('runs a job with unreadable items alone, in its order', async () => {
    const nudges = [aNudge(), aNudge(), aNudge()] as const;
    await enqueue([nudges[0]]);
    const brokenId = await enqueue([toItem(aDelivery({ occurredAt: 'soon' })), nudges[1]]);
    const lastId = await enqueue([nudges[2]]);
    const runs = await consumeThrough(lastId);
    expect(runs.flatMap((run) => run.items)).toEqual(nudges);
    expect(runs.filter((run) => run.unreadable.length > 0)).toMatchObject([{ jobId: brokenId, items: [nudges[1]] }]);
  });

  test('starts an unreadable job again when it was released', async () => {
    const jobId = await testBackend.enqueueText('no job at all');
    const runs = await consumeThrough(jobId, ({ startCount }) => (startCount < 3 ? 'release' : 'done'));
    expect(runs.map((run) => run.startCount)).toEqual([1, 2, 3]);
    expect(new Set(runs.map((run) => run.unreadable[0]?.text))).toEqual(new Set(['no job at all']));
  });

  test('keeps a job of a newer version, and the jobs behind it, in the queue', async () => {
    await testBackend.enqueueText('{"version":99,"work":"unknown"}');
    await enqueue([aNudge()]);
    const runs: ConsumedBatch[] = [];
    const warned = Promise.withResolvers<void>();
    onWarning = (message) => message.includes('newer version') && warned.resolve();
    const consumer = await testBackend.backend.hookQueue.consume(async (batch) => {
      runs.push(batch);
      return 'done';
    });
    await warned.promise;
    consumer.checkProgress();
    await consumer.close();
    expect(runs).toEqual([]);
    expect((await testBackend.backend.hookQueue.pressure()).waitingJobs).toBe(2);
  });
});
