import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/builders.ts';
import { aBatch, batches, type HandleBatch, idsOf, onQueue } from '../drivers/hook-batches.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** The embedded service has one process, and it one consumer. */
const mayHaveSeveralConsumers = inject('backend') !== 'embedded';

describe('HookQueue, a batch that did not end well', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend({ hookPartitions: 2 });
  });
  afterAll(() => store.dispose());
  const queue = () => store.backend.hookQueue;
  const { enqueueAll, consume } = onQueue(queue);

  it.each<[string, HandleBatch]>([
    ['was handed back', () => 'release'],
    ['failed', () => Promise.reject(new Error('no luck'))],
  ])('is first in line again when it %s, and counts its starts', async (_, fail) => {
    const list = batches(3);
    await enqueueAll(list);
    const [first, ...rest] = idsOf(list);
    const started = await consume(5, (batch) => (batch.startCount < 3 && batch.jobId === first ? fail(batch) : 'done'));
    expect(idsOf(started)).toEqual([first, first, first, ...rest]);
    expect(started.map(({ startCount }) => startCount)).toEqual([1, 2, 3, 1, 1]);
  });

  it('is taken again only when its consumer is able to, or by another one', async () => {
    const list = batches(1);
    await enqueueAll(list);
    const asked = Promise.withResolvers<void>();
    const able = Promise.withResolvers<void>();
    const started: string[] = [];
    const isDone = Promise.withResolvers<void>();
    const waitUntilReady = () => {
      asked.resolve();
      return able.promise.then(() => void started.push('able'));
    };
    const consumer = await queue().consume(
      async ({ jobId }) => {
        started.push(jobId);
        if (started.length === 1) return 'release';
        setImmediate(isDone.resolve);
        return 'done';
      },
      { coalesce: false, waitUntilReady },
    );
    await asked.promise;
    if (mayHaveSeveralConsumers) {
      expect(idsOf(await consume(1))).toEqual(idsOf(list));
      await enqueueAll(batches(1));
    }
    expect(started).toEqual(idsOf(list));
    able.resolve();
    await isDone.promise;
    await consumer.close();
    expect(started.slice(0, 2)).toEqual([...idsOf(list), 'able']);
    expect(started).toHaveLength(3);
  });

  it('does not keep a consumer from closing that is not able to go on', async () => {
    const [batch] = batches(1);
    if (batch === undefined) throw new Error('a batch');
    await queue().enqueue(batch);
    const asked = Promise.withResolvers<void>();
    const consumer = await queue().consume(async () => 'release', {
      coalesce: false,
      waitUntilReady: (signal) => {
        asked.resolve();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    });
    await asked.promise;
    await consumer.close();
    expect(idsOf(await consume(1))).toEqual([batch.jobId]);
  });

  it('keeps its items', async () => {
    const batch = aBatch([{ type: 'delivery', delivery: aDelivery({ payload: awkwardPayload }) }]);
    await queue().enqueue(batch);
    const [, second] = await consume(2, ({ startCount }) => (startCount === 1 ? 'release' : 'done'));
    expect(second?.items).toEqual(batch.items);
  });
});
