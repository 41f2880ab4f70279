import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { aCluster, dropDatabaseOf, expectTailOfReplica } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { type RedisSentinels, sentinelName, startSentinels } from '../faults/redis-sentinels.ts';

describe.runIf(inject('backend') === 'cluster')(
  'a Redis behind Sentinels',
  () => {
    const password = 'of-the-sentinels';
    const toUrl = (user: string, addresses: readonly { readonly host: string; readonly port: number }[]) =>
      `redis://${user}${addresses.map(({ host, port }) => `${host}:${port}`).join(',')}`;
    let primary: RedisProcess;
    let replica: RedisProcess;
    let sentinels: RedisSentinels;
    let options: ClusterOptions;
    let backend: Backend;
    let consumed = 0;
    let stopConsuming: () => Promise<void>;

    beforeAll(async () => {
      [primary, replica] = await Promise.all([startRedis(), startRedis()]);
      await replica.replicate(primary.port);
      sentinels = await startSentinels(primary.port, 2_000, password);
      options = aCluster({
        REDIS_URL: `redis://${sentinelName}/`,
        REDIS_SENTINELS: toUrl(`:${password}@`, sentinels.addresses),
      });
      backend = await openCluster(options);
      const handle = async () => {
        consumed += 1;
        return 'done' as const;
      };
      const consumer = await backend.hookQueue.consume(handle, { coalesce: false });
      stopConsuming = () => consumer.close();
    }, 60_000);
    afterAll(async () => {
      await stopConsuming?.();
      await backend?.close();
      await sentinels?.dispose();
      await Promise.all([primary?.dispose(), replica?.dispose()]);
      await dropDatabaseOf(options);
    });

    /** Enqueues a job as soon as the queue accepts it, and waits until it is consumed. */
    const useQueue = async (jobId: string) => {
      const before = consumed;
      const isEnqueued = () =>
        backend.hookQueue.enqueue({ jobId, partition: 0, items: [] }).then(
          () => true,
          () => false,
        );
      await eventually(isEnqueued, `${jobId} is enqueued`, 30_000);
      await eventually(async () => consumed > before, `${jobId} is consumed`, 30_000);
    };

    test('every kind of connection finds the primary by the Sentinels', async () => {
      await useQueue('before');
      expect(await sentinels.readPrimaryPort()).toBe(primary.port);
    });

    describe.each([
      ['another password', ':wrong@', {}, 'REDIS_SENTINELS'],
      ['no password', '', {}, 'REDIS_SENTINELS'],
      ['an unknown user', `nobody:${password}@`, {}, 'REDIS_SENTINELS'],
      ['an unknown name', `:${password}@`, { REDIS_URL: 'redis://gadgets/' }, 'REDIS_URL'],
      [
        'an unknown name of the second Redis',
        `:${password}@`,
        { EVENTS_REDIS_URL: 'redis://gadgets/' },
        'EVENTS_REDIS_URL',
      ],
      ['a plain Redis among their addresses, and nobody else', null, {}, 'REDIS_SENTINELS'],
    ] as const)('%s', (_, user, changes, setting) => {
      const change = (): Partial<ClusterOptions> => {
        // One Sentinel that is away must not hide what the others say.
        const away = { host: '127.0.0.1', port: 1 };
        const plain = { host: '127.0.0.1', port: primary.port };
        const addresses = [...(user === null ? [plain] : sentinels.addresses), away];
        return { ...changes, REDIS_SENTINELS: toUrl(user ?? '', addresses) };
      };

      test('ends the start with the setting', async () => {
        const opened = openCluster({ ...options, ...change() });
        await expect(opened).rejects.toMatchObject({
          exitCode: 78,
          message: expect.stringMatching(new RegExp(`^${setting}: the Sentinels do not accept it`)),
        });
      });
    });

    test('a Sentinel that refuses beside one that answers is passed over', async () => {
      const plain = { host: '127.0.0.1', port: primary.port };
      const opened = await openCluster({
        ...options,
        REDIS_SENTINELS: toUrl(`:${password}@`, [plain, ...sentinels.addresses]),
      });
      await opened.close();
    });

    test('Sentinels that demand another password after the start: the log names the setting, and it goes on', async () => {
      const warnings: string[] = [];
      const opened = await openCluster({
        ...options,
        onWarning: (message) => warnings.push(message),
      });
      const setPassword = async (from: string, to: string) => {
        for (const { port } of sentinels.addresses) {
          const operator = new Redis(port, '127.0.0.1', { password: from });
          await operator.call('ACL', 'SETUSER', 'default', 'resetpass', `>${to}`);
          operator.disconnect();
        }
      };
      await setPassword(password, 'changed');
      await primary.send('CLIENT', 'KILL', 'TYPE', 'normal');
      const isSaid = async () => warnings.some((message) => message.endsWith('network and REDIS_SENTINELS'));
      await eventually(isSaid, 'a warning names the setting');
      await setPassword('changed', password);
      await eventually(
        () =>
          opened.hookQueue.pressure().then(
            () => true,
            () => false,
          ),
        'Redis is back',
        30_000,
      );
      await opened.close();
    });

    test('serves tails from a replica, and from the primary once the replica is gone', async () => {
      await expectTailOfReplica(options, { primary, replica });
    });
  },
  120_000,
);
