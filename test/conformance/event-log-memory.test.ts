import { randomBytes } from 'node:crypto';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisEventLog } from '@widget-service/cluster/redis/redis-event-log.ts';
import { Redis, ReplyError } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { anEventAppend } from '../drivers/builders.ts';

const retention = { count: 1_000_000, ageMs: 3_600_000, bytes: 800_000 };

/** On the real Redis, which is only said to have so much memory: a bound of its own would concern all other tests. */
describe.runIf(inject('backend') === 'cluster')('EventLog: retention on a Redis with bounded memory', () => {
  let redis: Redis;
  let keys: ReturnType<typeof redisKeys>;
  beforeEach(async () => {
    redis = new Redis(process.env.REDIS_URL ?? '', { protocol: 2 });
    // The connection asks for INFO itself until it is ready.
    await redis.ping();
    keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
  });
  afterEach(async () => {
    await redis.del(keys.log, keys.logMeta);
    redis.disconnect();
  });

  /** What is left of a log of a good million bytes, in bytes, of events of these sizes. */
  async function bytesLeft(info: () => Promise<string>, sizes = [1000, 1000, 1000, 1000, 1000]): Promise<number> {
    redis.info = info;
    const connectTail = () => redis;
    const log = new RedisEventLog({ redis, keys, retention, connectTail });
    for (const size of sizes) {
      const json = JSON.stringify({ filling: 'x'.repeat(size) });
      await log.append(
        1,
        null,
        Array.from({ length: 200 }, () => anEventAppend({ json })),
      );
    }
    const [last] = await redis.xrevrange(keys.log, '+', '-', 'COUNT', 1);
    const [ms, seq] = (last?.[0] ?? '').split('-').map(Number);
    const epoch = (await redis.hget(keys.logMeta, 'epoch')) ?? '';
    await log.trim({ epoch, epochRun: 1, ms: ms ?? 0, seq: seq ?? 0 });
    return Number(await redis.memory('USAGE', keys.log, 'SAMPLES', 0));
  }

  it('keeps no more events than half of the memory holds, so that hooks find room', async () => {
    const bytes = await bytesLeft(async () => '# Memory\r\nused_memory:1\r\nmaxmemory:400000\r\n');
    expect(bytes).toBeLessThan(260_000);
    expect(bytes).toBeGreaterThan(100_000);
  });

  it.each([
    ['small ones before large ones', [10, 10, 10, 3_000, 3_000]],
    ['large ones before small ones', [3_000, 3_000, 10, 10, 10]],
  ])('measures all of them where they differ: %s', async (_, sizes) => {
    const bytes = await bytesLeft(async () => 'maxmemory:400000\r\n', sizes);
    expect(bytes).toBeLessThan(230_000);
    expect(bytes).toBeGreaterThan(60_000);
  });

  it.each([
    ['has more memory than that', async () => 'maxmemory:4000000000\r\n'],
    ['has no bound', async () => 'maxmemory:0\r\n'],
    ['does not tell its bound', async () => '# Memory\r\nused_memory:1\r\n'],
    [
      'will not be asked',
      () => Promise.reject(new ReplyError("NOPERM User has no permissions to run the 'info' command")),
    ],
  ])('keeps what it was told to where Redis %s', async (_, info) => {
    const bytes = await bytesLeft(info);
    expect(bytes).toBeLessThan(860_000);
    expect(bytes).toBeGreaterThan(500_000);
  });
});
