import { randomUUID } from 'node:crypto';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisProcessStates } from '@widget-service/cluster/redis/redis-process-states.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { aPodState, aProcessState } from '@widget-service/shared/tasks/testing/a-process-state.ts';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, inject, test, vi } from 'vitest';
import { findEventsRedis } from '../drivers/cluster/test-redis.ts';

const stream = { id: 's', address: '127.0.0.1', position: 'e.1.1', openedAtMs: 1, sentBytes: 2, unsentBytes: 3 };

/** The embedded service has no other process: it stores no state. */
describe.runIf(inject('backend') === 'cluster')('ProcessStates', () => {
  // This runs also where the suite is skipped, because there is no Redis.
  const operatorUrl = inject('backend') === 'cluster' ? findEventsRedis().operatorUrl : '';
  const redis = new Redis(operatorUrl, { lazyConnect: true });
  const keys = redisKeys(`t-${randomUUID()}`);
  const states = new RedisProcessStates(redis, keys);
  const peer = new RedisProcessStates(redis, keys);
  afterAll(async () => {
    await redis.del(keys.processes);
    redis.disconnect();
  });
  const list = async () => (await peer.list()).map(({ state }) => state);

  test('returns the last state of each process, until it is removed', async () => {
    const [pod, worker] = [aPodState(), aProcessState({ notReady: ['"tail":\n waits'] })];
    await states.write(pod, new Map());
    await peer.write(worker, new Map());
    const changed = { ...pod, notReady: ['it drains'] };
    await states.write(changed, new Map());
    expect(await list()).toEqual(expect.arrayContaining([changed, worker]));
    expect(await list()).toHaveLength(2);
    await states.remove(pod.id);
    await peer.remove(worker.id);
    expect(await list()).toEqual([]);
  });

  test('returns the listed streams of one subscription, and forgets those of a subscription without any', async () => {
    const pod = aPodState();
    const streamsOf = async (id: string) => (await peer.list(id)).flatMap(({ streams }) => streams);
    await states.write(pod, new Map(Object.entries({ a: [stream], b: [stream, stream] })));
    expect(await streamsOf('a')).toEqual([stream]);
    expect(await streamsOf('b')).toHaveLength(2);
    await states.write(pod, new Map([['b', [stream]]]));
    expect(await streamsOf('a')).toEqual([]);
    expect(await streamsOf('b')).toEqual([stream]);
    const pipeline = redis.pipeline();
    const exec = pipeline.exec.bind(pipeline);
    pipeline.exec = () => exec().then(() => Promise.reject(new Error('the answer is lost')));
    vi.spyOn(redis, 'pipeline').mockReturnValueOnce(pipeline);
    await expect(states.write(pod, new Map([['a', [stream]]]))).rejects.toThrow(UnavailableError);
    await states.write(pod, new Map());
    expect(await streamsOf('a')).toEqual([]);
    await states.remove(pod.id);
  });

  test('says how old a state is, and forgets a process that wrote none for a minute', async () => {
    const pod = aPodState();
    await states.write(pod, new Map());
    expect((await peer.list())[0]?.ageMs).toBeLessThan(5_000);
    await redis.pexpire(keys.process(pod.id), 20_000);
    const [read] = await peer.list();
    expect(read?.ageMs).toBeGreaterThanOrEqual(40_000);
    expect(read?.ageMs).toBeLessThan(45_000);
    await redis.pexpire(keys.process(pod.id), 1);
    await expect.poll(list).toEqual([]);
    // Its id goes with the next write after an hour.
    await redis.zadd(keys.processes, Date.now() - 3_600_001, pod.id);
    const other = aProcessState();
    await states.write(other, new Map());
    expect(await redis.zrange(keys.processes, '0', '-1')).toEqual([other.id]);
    await states.remove(other.id);
  });

  test('leaves out what it cannot read', async () => {
    const pod = aPodState();
    await states.write(pod, new Map([['a', [stream]]]));
    await redis.hset(keys.process(pod.id), 'streams:a', '{');
    expect(await peer.list('a')).toMatchObject([{ state: pod, streams: [] }]);
    await redis.hset(keys.process(pod.id), 'state', JSON.stringify({ ...pod, stateVersion: 2 }));
    expect(await peer.list('a')).toEqual([]);
    await states.remove(pod.id);
  });

  test('rejects with UnavailableError while Redis is unavailable', async () => {
    const closed = new Redis(operatorUrl, { enableOfflineQueue: false, lazyConnect: true });
    const unreachable = new RedisProcessStates(closed, keys);
    await expect(unreachable.write(aProcessState(), new Map())).rejects.toThrow(UnavailableError);
    await expect(unreachable.list()).rejects.toThrow(UnavailableError);
  });
});
