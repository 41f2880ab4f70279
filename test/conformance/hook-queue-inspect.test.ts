import { randomBytes, randomUUID } from 'node:crypto';
import type { ConsumeOutcome, HookJob, HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { aJob, buildJobs, driveQueue } from '../drivers/app/hook-jobs.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { openProducer } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';

function openQueue(redis: Redis, prefix: string, counts: readonly number[]) {
  const hookQueue = openProducer(redis, prefix, { counts });
  onTestFinished(() => hookQueue.close());
  return hookQueue;
}

describe.runIf(inject('backend') === 'cluster')('BullmqHookQueue.pressure', () => {
  test('also counts the jobs in the queues of earlier partition counts', async () => {
    const redis = new Redis(findQueueRedis().operatorUrl, { protocol: 2 });
    const prefix = `t-${randomBytes(8).toString('hex')}`;
    onTestFinished(async () => {
      await redis.unlink(await redis.keys(`*${prefix}*`));
      redis.disconnect();
    });
    const enqueue = (queue: ReturnType<typeof openQueue>, partition: number) =>
      queue.enqueue({ jobId: `job-${randomUUID()}`, partition, items: [{ type: 'nudge', widgetId: randomUUID() }] });
    const before = openQueue(redis, prefix, [2]);
    await Promise.all([enqueue(before, 0), enqueue(before, 1)]);
    const after = openQueue(redis, prefix, [2, 3]);
    await enqueue(after, 2);
    expect(await after.pressure()).toMatchObject({ waitingJobs: 3 });
  });
});

describe('HookQueue.inspect', async () => {
  const testBackend = await openSharedBackend({ hookPartitions: 2 });
  const queue = () => testBackend.backend.hookQueue;
  const { enqueueAll, consume } = driveQueue(queue);
  const inspectBusy = async (inspected: HookQueue = queue()) =>
    (await inspected.inspect()).filter(({ jobs }) => jobs > 0);

  test('counts the jobs, and says since when the oldest has been in the queue, until it is done', async () => {
    await enqueueAll(buildJobs(3));
    const states = await queue().inspect();
    expect(new Set(states.map((state) => state.queue)).size).toBe(states.length);
    const busy = await inspectBusy();
    expect(busy.map(({ jobs }) => jobs)).toEqual([3]);
    expect(busy[0]?.oldestEnqueuedAt).toBeInstanceOf(Date);
    const seen: unknown[] = [];
    await consume(3, async (): Promise<ConsumeOutcome> => {
      seen.push((await inspectBusy())[0]?.oldestEnqueuedAt);
      return 'done';
    });
    // The job that is being processed still counts.
    expect(seen[0]).toEqual(busy[0]?.oldestEnqueuedAt);
    expect((await queue().inspect()).map(({ jobs, oldestEnqueuedAt }) => [jobs, oldestEnqueuedAt])).toEqual(
      states.map(() => [0, null]),
    );
  });

  test('names the partition of each queue', async () => {
    const last = queue().partitionCount - 1;
    await enqueueAll([aJob(undefined, last)]);
    expect((await inspectBusy()).map(({ partition }) => partition)).toEqual([last]);
    await consume(1);
  });

  test('tells a job that another process has started from waiting jobs and from jobs of its own', async () => {
    const peer = await testBackend.openPeer?.();
    await enqueueAll(buildJobs(2));
    expect(await inspectBusy()).toMatchObject([{ jobs: 2, isActiveElsewhere: false }]);
    await consume(2, async (): Promise<ConsumeOutcome> => {
      expect((await inspectBusy())[0]?.isActiveElsewhere).toBe(false);
      if (peer !== undefined) expect((await inspectBusy(peer.hookQueue))[0]?.isActiveElsewhere).toBe(true);
      return 'done';
    });
    await peer?.close();
  });

  test.runIf(inject('backend') === 'cluster')('ignores a started job whose worker has lost its lock', async () => {
    const peer = await testBackend.openPeer?.();
    const [job] = buildJobs(1) as [HookJob];
    await enqueueAll([job]);
    const hang = Promise.withResolvers<'done'>();
    const consumer = await peer?.hookQueue.consume(() => hang.promise);
    await eventually(async () => (await inspectBusy())[0]?.isActiveElsewhere === true, 'the peer has started the job');
    const redis = new Redis(findQueueRedis().operatorUrl);
    for (const key of await redis.keys(`*:${job.jobId}:lock`)) await redis.del(key);
    redis.disconnect();
    expect(await inspectBusy()).toMatchObject([{ isActiveElsewhere: false }]);
    hang.resolve('done');
    await eventually(async () => (await inspectBusy()).length === 0, 'the job is done');
    await consumer?.close();
    await peer?.close();
  });
});
