import { randomBytes, randomUUID } from 'node:crypto';
import { openCluster } from '@widget-service/cluster/open-cluster.ts';
import { queueName, redisKeys } from '@widget-service/cluster/redis/keys.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { Redis } from 'ioredis';
import { rejectPayloadsInMongo } from '../../faults/unstorable-payloads.ts';
import { mongodbUrlOf, removeKeys } from '../cluster/servers.ts';
import { findEventsRedis, findQueueRedis, grantAccess, revokeAccess } from '../cluster/test-redis.ts';
import { aCluster, dropDatabaseOf } from '../cluster/use-cluster-backend.ts';
import type { TestBackend, TestBackendOptions } from './test-backend.ts';

const hourMs = 3_600_000;
const defaultDeliveryRetentionMs = 168 * hourMs;

/** Opens the cluster backend on its own database. Needs MONGODB_URL and REDIS_URL. */
export async function openClusterTestBackend(options: TestBackendOptions): Promise<TestBackend> {
  const name = `t-${randomBytes(8).toString('hex')}`;
  const open = () => openNamed(name, options);
  let backend = await open();
  let isClosed = false;
  return {
    place: { database: name },
    get backend() {
      return backend;
    },
    async reopen() {
      isClosed = true;
      await backend.close();
      backend = await open();
      isClosed = false;
    },
    openPeer: open,
    enqueueText: (text) => enqueueText(name, backend.hookQueue, text),
    rejectPayloads: (where, word) => rejectPayloadsInMongo(mongodbUrlOf(name), where, word),
    async dispose() {
      try {
        if (!isClosed) await backend.close();
      } finally {
        await Promise.all([dropDatabaseOf(aCluster({ MONGODB_URL: mongodbUrlOf(name) })), dropKeys(name)]);
        for (const redis of listServers()) await revokeAccess(redis, name);
      }
    },
  };
}

/** Enqueues a job without items, then overwrites its data with the text. */
async function enqueueText(name: string, queue: HookQueue, text: string): Promise<string> {
  const jobId = `job-${randomUUID()}`;
  await queue.enqueue({ jobId, partition: 0, items: [] });
  const redis = new Redis(findQueueRedis().operatorUrl);
  const job = [redisKeys(name).queuePrefix, queueName(queue.partitionCount, 0), jobId].join(':');
  await redis.hset(job, 'data', JSON.stringify(text));
  redis.disconnect();
  return jobId;
}

async function openNamed(name: string, options: TestBackendOptions) {
  const [queueRedis, eventsRedis] = [findQueueRedis(), findEventsRedis()];
  const environment = {
    MONGODB_URL: mongodbUrlOf(name),
    REDIS_URL: await grantAccess(queueRedis, name),
    EVENTS_REDIS_URL: await grantAccess(eventsRedis, name),
    ...(queueRedis.guard ?? eventsRedis.guard)?.tls,
    HOOK_PARTITIONS: `${options.hookPartitions ?? 2}`,
  };
  return await openCluster({
    ...aCluster(environment),
    retention: {
      count: options.retentionCount ?? 1_000_000,
      ageMs: options.retentionMs ?? 24 * hourMs,
      bytes: options.retentionBytes ?? 2 ** 30,
    },
    ...(options.runAgeMaxMs === undefined ? {} : { runAgeMaxMs: options.runAgeMaxMs }),
    DELIVERY_RETENTION_MS: options.deliveryRetentionMs ?? defaultDeliveryRetentionMs,
    // Short, so that a job that a test abandons starts again within about a second.
    timing: { lockDurationMs: 1000, stalledIntervalMs: 500, drainDelaySeconds: 1 },
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
}

/** One if the queue and the event log have the same one. */
function listServers() {
  const [queueRedis, eventsRedis] = [findQueueRedis(), findEventsRedis()];
  return queueRedis.operatorUrl === eventsRedis.operatorUrl ? [queueRedis] : [queueRedis, eventsRedis];
}

async function dropKeys(name: string): Promise<void> {
  for (const { operatorUrl } of listServers()) {
    const redis = new Redis(operatorUrl, { maxRetriesPerRequest: 1 });
    redis.on('error', () => undefined);
    await removeKeys(redis, `*${name}*`).finally(() => redis.disconnect());
  }
}
