import { randomBytes, randomUUID } from 'node:crypto';
import { openFailFastConnection } from '@widget-service/cluster/redis/connections.ts';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { RedisWaitingCounts } from '@widget-service/cluster/redis/redis-waiting-counts.ts';
import type { QueueItem, WaitingByIntegration } from '@widget-service/shared/domain/queue-item.ts';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** The embedded service counts in its memory. */
describe.runIf(inject('backend') === 'cluster')(
  'RedisWaitingCounts: Redis counts a report, and its answer is lost',
  () => {
    const keys = redisKeys(`t-${randomBytes(8).toString('hex')}`);
    /** A queue that is not empty: otherwise the counts are removed. */
    const jobList = `${keys.queuePrefix}:jobs`;
    let operator: Redis;
    let proxy: TcpProxy;
    let redis: Redis;
    let counts: RedisWaitingCounts;
    beforeAll(async () => {
      operator = new Redis(findQueueRedis().operatorUrl);
      await operator.rpush(jobList, 'a job');
    });
    afterAll(async () => {
      await operator.del(jobList, keys.waiting);
      operator.disconnect();
    });
    beforeEach(async () => {
      const url = new URL(findQueueRedis().operatorUrl);
      proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port || 6379) });
      const address = `redis://127.0.0.1:${proxy.port}/`;
      redis = openFailFastConnection({ url: address, setting: 'REDIS_URL', onWarning: () => undefined }, 'test');
      counts = new RedisWaitingCounts(redis, keys);
      // Loads the script, so that each later report is one command.
      await eventually(async () => (await counts.read([jobList]).catch(() => null)) !== null, 'Redis answers');
    });
    afterEach(async () => {
      redis.disconnect();
      await proxy.close();
    });

    const buildItems = (integrationId: string, count: number): QueueItem[] =>
      Array.from({ length: count }, () => ({
        type: 'delivery',
        delivery: aDelivery({ integrationId, payload: '{"a":1}' }),
      }));
    /** Reports until Redis has answered, and returns what all processes have counted. */
    async function readUntilAnswered() {
      const reads: WaitingByIntegration[] = [];
      await eventually(async () => {
        reads.push(
          ...(await counts.read([jobList]).then(
            (read) => [read],
            () => [],
          )),
        );
        return reads.length > 0;
      }, 'Redis answers a report');
      return reads[0] ?? new Map();
    }
    const cutReport = () => proxy.cutReplies(1, (request) => /EVALSHA/i.test(request));

    test('counts what was enqueued once', async () => {
      const id = randomUUID();
      counts.recordEnqueued(buildItems(id, 3));
      cutReport();
      const read = await readUntilAnswered();
      expect(proxy.repliesCut).toBe(1);
      expect(read.get(id)).toEqual({ deliveries: 3, bytes: 21 });
    });

    test('counts what is done once, also what was done meanwhile', async () => {
      const id = randomUUID();
      const items = buildItems(id, 10);
      counts.recordEnqueued(items);
      await readUntilAnswered();
      cutReport();
      await Promise.all([counts.reportDone(items.slice(0, 2)), counts.reportDone(items.slice(2, 3))]);
      await counts.reportDone(items.slice(3, 5));
      const read = await readUntilAnswered();
      expect(proxy.repliesCut).toBe(1);
      expect(read.get(id)).toEqual({ deliveries: 5, bytes: 35 });
    });

    test('counts the reports of each process, and leaves marks that expire', async () => {
      const id = randomUUID();
      counts.recordEnqueued(buildItems(id, 2));
      await readUntilAnswered();
      const other = new RedisWaitingCounts(redis, keys);
      other.recordEnqueued(buildItems(id, 4));
      expect((await other.read([jobList])).get(id)).toEqual({ deliveries: 6, bytes: 42 });
      const marks = await operator.keys(`${keys.waitingReport('*')}`);
      expect(marks.length).toBeGreaterThan(1);
      for (const mark of marks) expect(await operator.ttl(mark)).toBeGreaterThan(60);
    });
  },
);
