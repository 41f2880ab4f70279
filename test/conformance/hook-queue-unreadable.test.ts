import { randomUUID } from 'node:crypto';
import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDelivery } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const delivered = (delivery: Delivery): QueueItem => ({ type: 'delivery', delivery });

describe('HookQueue, with what cannot be read', () => {
  let store: TestBackend;
  let onWarning: (message: string) => unknown = () => undefined;
  beforeAll(async () => {
    store = await openTestBackend({ hookPartitions: 1, onWarning: (message) => void onWarning(message) });
  });
  afterAll(() => store.dispose());

  async function enqueue(items: readonly QueueItem[]): Promise<string> {
    const jobId = `job-${randomUUID()}`;
    await store.backend.hookQueue.enqueue({ jobId, partition: 0, items });
    return jobId;
  }

  const aNudge = (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() });

  /** Consumes, taking jobs along, until `lastJobId` was run; returns every run. */
  async function consumeThrough(
    lastJobId: string,
    handle: (batch: ConsumedBatch) => ConsumeOutcome = () => 'done',
  ): Promise<ConsumedBatch[]> {
    const runs: ConsumedBatch[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const consumer = await store.backend.hookQueue.consume(
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
    expect((await store.backend.hookQueue.pressure()).waitingJobs).toBe(0);
    return runs;
  }

  it('gives the items of a job that can be read, and apart from them those that cannot', async () => {
    const [first, last] = [delivered(aDelivery()), delivered(aDelivery())];
    const broken = aDelivery({ kind: 'archived' as never, payload: '{"n":1e400}' });
    const jobId = await enqueue([first, delivered(broken), last]);
    const [run] = await consumeThrough(jobId);
    expect(run?.items).toEqual([first, last]);
    const { redrive: _, ...members } = broken;
    expect(run?.unreadable).toEqual([{ text: expect.stringContaining(broken.eventId), delivery: members }]);
  });

  it('gives a job that is malformed as a whole as the text it is, and goes on with the next', async () => {
    const jobId = await store.enqueueText('{"version":1,"items":[{"t":');
    const good = aNudge();
    const nextId = await enqueue([good]);
    const runs = await consumeThrough(nextId);
    expect(runs.map((run) => run.jobId)).toEqual([jobId, nextId]);
    expect(runs[0]).toMatchObject({
      items: [],
      unreadable: [{ text: '{"version":1,"items":[{"t":', delivery: null }],
    });
    expect(runs[1]).toMatchObject({ items: [good], unreadable: [] });
  });

  it('runs such a job apart from the others, in its turn', async () => {
    const good = [aNudge(), aNudge(), aNudge()] as const;
    await enqueue([good[0]]);
    const brokenId = await enqueue([delivered(aDelivery({ occurredAt: 'soon' })), good[1]]);
    const lastId = await enqueue([good[2]]);
    const runs = await consumeThrough(lastId);
    expect(runs.flatMap((run) => run.items)).toEqual(good);
    expect(runs.filter((run) => run.unreadable.length > 0)).toMatchObject([{ jobId: brokenId, items: [good[1]] }]);
  });

  it('gives it again when the run did not end well', async () => {
    const jobId = await store.enqueueText('no job at all');
    const runs = await consumeThrough(jobId, ({ startCount }) => (startCount < 3 ? 'release' : 'done'));
    expect(runs.map((run) => run.startCount)).toEqual([1, 2, 3]);
    expect(new Set(runs.map((run) => run.unreadable[0]?.text))).toEqual(new Set(['no job at all']));
  });

  it('keeps a job of a newer version, and what stands behind it, for a newer consumer', async () => {
    await store.enqueueText('{"version":99,"work":"unknown"}');
    await enqueue([aNudge()]);
    const runs: ConsumedBatch[] = [];
    const met = Promise.withResolvers<void>();
    onWarning = (message) => message.includes('newer version') && met.resolve();
    const consumer = await store.backend.hookQueue.consume(async (batch) => {
      runs.push(batch);
      return 'done';
    });
    await met.promise;
    consumer.checkProgress();
    await consumer.close();
    expect(runs).toEqual([]);
    expect((await store.backend.hookQueue.pressure()).waitingJobs).toBe(2);
  });
});
