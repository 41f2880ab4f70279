import { randomUUID } from 'node:crypto';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome } from '@widget-service/shared/ports/hook-queue.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const widgetIdsIn = (items: readonly QueueItem[]) => items.map((item) => (item.type === 'nudge' ? item.widgetId : ''));

describe('HookQueue, taking waiting jobs along', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend({ hookPartitions: 1 });
  });
  afterAll(() => store.dispose());

  /** Stores jobs of `size` nudges each and returns the widget ids in their order. */
  async function enqueue(count: number, size: number): Promise<string[]> {
    const ids: string[] = [];
    for (let job = 0; job < count; job += 1) {
      const items = Array.from({ length: size }, (): QueueItem => ({ type: 'nudge', widgetId: createUuidV7() }));
      ids.push(...widgetIdsIn(items));
      await store.backend.hookQueue.enqueue({ jobId: `job-${randomUUID()}`, partition: 0, items });
    }
    return ids;
  }

  /** Consumes until `isEnough` of the runs so far; returns them in order. */
  async function consume(
    handle: (batch: ConsumedBatch, runs: readonly ConsumedBatch[]) => ConsumeOutcome | Promise<ConsumeOutcome>,
    isEnough: (runs: readonly ConsumedBatch[]) => boolean,
  ): Promise<ConsumedBatch[]> {
    const runs: ConsumedBatch[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const consumer = await store.backend.hookQueue.consume(
      async (batch) => {
        if (isEnough(runs)) return 'release';
        runs.push(batch);
        if (isEnough(runs)) setImmediate(resolve);
        return handle(batch, runs);
      },
      { coalesce: true },
    );
    await promise;
    await consumer.close();
    return runs;
  }

  const itemsOf = (runs: readonly ConsumedBatch[]) => runs.flatMap((run) => widgetIdsIn(run.items));

  it('gives what has piled up in few runs, each item once and in order, none larger than about 256 items', async () => {
    const ids = await enqueue(40, 20);
    const runs = await consume(
      () => 'done',
      (soFar) => itemsOf(soFar).length >= ids.length,
    );
    expect(itemsOf(runs)).toEqual(ids);
    expect(runs.length).toBeLessThan(10);
    expect(Math.max(...runs.map((run) => run.items.length))).toBeLessThanOrEqual(256);
    expect(await store.backend.hookQueue.pressure()).toMatchObject({ waitingJobs: 0 });
  });

  it('keeps what was taken along by a run that did not end well, in its order', async () => {
    const ids = await enqueue(5, 2);
    const runs = await consume(
      (_, soFar) => (soFar.length === 1 ? 'release' : 'done'),
      (soFar) => itemsOf(soFar.slice(1)).length >= ids.length,
    );
    expect(itemsOf(runs.slice(0, 1))).toEqual(ids);
    expect(itemsOf(runs.slice(1))).toEqual(ids);
  });

  it('keeps it through a reopening too', async () => {
    const ids = await enqueue(5, 2);
    await consume(
      () => 'release',
      (soFar) => soFar.length === 1,
    );
    await store.reopen();
    const runs = await consume(
      () => 'done',
      (soFar) => itemsOf(soFar).length >= ids.length,
    );
    expect(itemsOf(runs)).toEqual(ids);
  });
});
