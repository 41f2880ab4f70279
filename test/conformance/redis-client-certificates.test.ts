import { beginNewEpoch } from '@widget-service/cluster/begin-new-epoch.ts';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import {
  openBlockingReadConnection,
  openFailFastConnection,
  WorkerRedis,
} from '@widget-service/cluster/redis/connections.ts';
import { findTargets } from '@widget-service/cluster/redis/redis-failover.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { aCluster, dropDatabaseOf, useEverything } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { type GuardedRedis, startGuardedRedis } from '../faults/guarded-redis.ts';

describe.runIf(inject('backend') === 'cluster')('a Redis that demands client certificates', () => {
  let server: GuardedRedis;
  let options: ClusterOptions;
  let warnings: object[];

  beforeAll(async () => {
    server = await startGuardedRedis();
    warnings = [];
    options = {
      ...aCluster({
        ...server.tls,
        ...{ REDIS_URL: server.tlsUrl, EVENTS_READ_REDIS: `127.0.0.1:${new URL(server.tlsUrl).port}` },
      }),
      onWarning: (message, details) => void warnings.push({ message, ...details }),
    };
  });
  afterAll(async () => {
    await server?.dispose();
    await dropDatabaseOf(options);
  });

  test('is used by every kind of connection, and by `new-epoch`', async () => {
    await useEverything(options);
    expect((await beginNewEpoch(options, options.retention)).marksRemoved).toBe(1);
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('maxmemory') })]);
  });

  test('a socket with two errors does not end the process', async () => {
    const { queue } = findTargets(options, () => undefined);
    const worker = new WorkerRedis(queue, 'test');
    for (const redis of [openFailFastConnection(queue, 'test'), openBlockingReadConnection(queue, 'test'), worker]) {
      await eventually(async () => redis.status === 'ready', 'the connection is ready');
      const { stream } = redis;
      // As Node reports an alert, and then the end of the connection.
      stream.emit('error', new Error('certificate required'));
      expect(() => stream.emit('error', new Error('read ECONNRESET'))).not.toThrow();
      redis.disconnect();
    }
  });

  test.each([
    ['no client certificate', { REDIS_TLS_CERT: null }, /certificate required|ECONNRESET|EPIPE|closed/i],
    ['no authority', { REDIS_TLS_CA: null }, /self-signed certificate/],
  ])('with %s, Redis is unavailable, and the warning says why', async (_, missing, reason) => {
    warnings = [];
    const backend = await openCluster({ ...options, ...missing });
    try {
      const isReported = async () =>
        warnings.some((warning) => 'reason' in warning && reason.test(`${warning.reason}`));
      await eventually(isReported, 'the reason');
    } finally {
      await backend.close();
    }
  });
});
