import { describe, expect, inject, test } from 'vitest';
import { aDelivery, awkwardPayload } from '../drivers/app/builders.ts';
import { aJob, buildJobs, driveQueue, getJobIds, type HandleBatch } from '../drivers/app/hook-jobs.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** The embedded service has one process with one consumer. */
const mayHaveSeveralConsumers = inject('backend') !== 'embedded';

describe('HookQueue.consume, with a released job', async () => {
  const testBackend = await openSharedBackend({ hookPartitions: 2 });
  const queue = () => testBackend.backend.hookQueue;
  const { enqueueAll, consume } = driveQueue(queue);

  test.each<[string, HandleBatch]>([
    ['was released', () => 'release'],
    ['failed in its handler', () => Promise.reject(new Error('the handler failed'))],
  ])('starts a job that %s again before the others, and counts its starts', async (_, fail) => {
    const list = buildJobs(3);
    await enqueueAll(list);
    const [first, ...rest] = getJobIds(list);
    const started = await consume(5, (batch) => (batch.startCount < 3 && batch.jobId === first ? fail(batch) : 'done'));
    expect(getJobIds(started)).toEqual([first, first, first, ...rest]);
    expect(started.map(({ startCount }) => startCount)).toEqual([1, 2, 3, 1, 1]);
  });

  test('starts the job again only once its consumer is ready, or with another consumer', async () => {
    const list = buildJobs(1);
    await enqueueAll(list);
    const waitStarted = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const started: string[] = [];
    const done = Promise.withResolvers<void>();
    const waitUntilReady = () => {
      waitStarted.resolve();
      return ready.promise.then(() => void started.push('ready'));
    };
    const consumer = await queue().consume(
      async ({ jobId }) => {
        started.push(jobId);
        if (started.length === 1) return 'release';
        setImmediate(done.resolve);
        return 'done';
      },
      { coalesce: false, waitUntilReady },
    );
    await waitStarted.promise;
    if (mayHaveSeveralConsumers) {
      expect(getJobIds(await consume(1))).toEqual(getJobIds(list));
      await enqueueAll(buildJobs(1));
    }
    expect(started).toEqual(getJobIds(list));
    ready.resolve();
    await done.promise;
    await consumer.close();
    expect(started.slice(0, 2)).toEqual([...getJobIds(list), 'ready']);
    expect(started).toHaveLength(3);
  });

  test('closes a consumer while it waits to be ready', async () => {
    const [batch] = buildJobs(1);
    if (batch === undefined) throw new Error('No batch was built.');
    await queue().enqueue(batch);
    const waitStarted = Promise.withResolvers<void>();
    const consumer = await queue().consume(async () => 'release', {
      coalesce: false,
      waitUntilReady: (signal) => {
        waitStarted.resolve();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    });
    await waitStarted.promise;
    await consumer.close();
    expect(getJobIds(await consume(1))).toEqual([batch.jobId]);
  });

  test('starts the job again with the same items', async () => {
    const batch = aJob([{ type: 'delivery', delivery: aDelivery({ payload: awkwardPayload }) }]);
    await queue().enqueue(batch);
    const [, second] = await consume(2, ({ startCount }) => (startCount === 1 ? 'release' : 'done'));
    expect(second?.items).toEqual(batch.items);
  });
});
