import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginNewEpoch } from '@widget-service/cluster/begin-new-epoch.ts';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import {
  openBlockingReadConnection,
  openFailFastConnection,
  openSubscriberConnection,
  openWorkerConnection,
} from '@widget-service/cluster/redis/connections.ts';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { useEverything } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { createCertificate } from '../faults/shipped-proxy.ts';

/** A certificate that signed itself is its own authority, and here that of the server and of the client. */
describe.runIf(inject('backend') === 'cluster')('a Redis that demands client certificates', () => {
  const mongodbUrl = process.env.MONGODB_URL ?? '';
  const database = `t-${randomBytes(8).toString('hex')}`;
  let folder: string;
  let redis: RedisProcess;
  let options: ClusterOptions;
  let warnings: object[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-tls-'));
    const { certificateFile, keyFile } = await createCertificate(folder);
    const tlsPort = await freePort();
    const files = [
      '--tls-cert-file',
      certificateFile,
      '--tls-key-file',
      keyFile,
      '--tls-ca-cert-file',
      certificateFile,
    ];
    redis = await startRedis(['--tls-port', `${tlsPort}`, '--tls-auth-clients', 'yes', ...files]);
    const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
    warnings = [];
    options = {
      ...{ mongodbUrl, mongodbDatabase: database, redisKeyPrefix: 'test', migrate: true, durabilityCheck: 'enforce' },
      redisUrl: `rediss://127.0.0.1:${tlsPort}/`,
      redisTls: { ca: certificate, cert: certificate, key },
      eventsReplicas: [{ host: '127.0.0.1', port: tlsPort }],
      ...{ hookPartitions: 1, ackReplicas: 0, deliveryRetentionMs: 3_600_000, auditRetentionMs: 3_600_000 },
      retention: { count: 1_000, bytes: 1_000_000, ageMs: 3_600_000 },
      onWarning: (message, details) => void warnings.push({ message, ...details }),
    };
  });
  afterAll(async () => {
    await redis?.dispose();
    await rm(folder, { recursive: true, force: true });
    const mongo = await new MongoClient(mongodbUrl).connect();
    await mongo.db(database).dropDatabase();
    await mongo.close();
  });

  test('is used by every kind of connection, and by `new-epoch`', async () => {
    await useEverything(options);
    expect((await beginNewEpoch(options)).marksRemoved).toBe(1);
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('maxmemory') })]);
  });

  test('a socket with two errors does not end the process', async () => {
    const target = { url: options.redisUrl, setting: 'REDIS_URL', onWarning: () => undefined } as const;
    const opened = [openFailFastConnection, openSubscriberConnection, openBlockingReadConnection, openWorkerConnection];
    for (const open of opened) {
      const { redisTls } = options;
      const redis = open({ ...target, ...(redisTls === undefined ? {} : { tls: redisTls }) }, 'test');
      await eventually(async () => redis.status === 'ready', 'the connection is ready');
      const { stream } = redis;
      // As Node reports an alert, and then the end of the connection.
      stream.emit('error', new Error('certificate required'));
      expect(() => stream.emit('error', new Error('read ECONNRESET'))).not.toThrow();
      redis.disconnect();
    }
  });

  test.each([
    ['no client certificate', { cert: null, key: null }, /certificate required|ECONNRESET|EPIPE|closed/i],
    ['no authority', { ca: null }, /self-signed certificate/],
  ])('with %s, Redis is unavailable, and the warning says why', async (_, missing, reason) => {
    warnings = [];
    const { redisTls } = options;
    if (redisTls === undefined) throw new Error('unreachable');
    const backend = await openCluster({ ...options, redisTls: { ...redisTls, ...missing } });
    try {
      const isReported = async () =>
        warnings.some((warning) => 'reason' in warning && reason.test(`${warning.reason}`));
      await eventually(isReported, 'the reason');
    } finally {
      await backend.close();
    }
  });
});
