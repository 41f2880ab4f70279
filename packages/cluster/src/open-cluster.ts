import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { EventRetention } from '@widget-service/shared/ports/event-log.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import { BullmqHookQueue } from './bullmq/bullmq-hook-queue.ts';
import { PartitionCounts } from './bullmq/partition-counts.ts';
import { defaultWorkerTiming } from './bullmq/queue-options.ts';
import { type MongoStores, openMongoStores } from './mongo/open-mongo-stores.ts';
import {
  type OnWarning,
  openBlockingReadConnection,
  openFailFastConnection,
  openWorkerConnection,
  waitForFirstContact,
} from './redis/connections.ts';
import { checkDurability, RedisDurabilityError } from './redis/durability-check.ts';
import { redisKeys } from './redis/keys.ts';
import { RedisControlLog } from './redis/redis-control-log.ts';
import { RedisEventLog } from './redis/redis-event-log.ts';
import { RedisRateLimiter } from './redis/redis-rate-limiter.ts';

const firstContactWithinMs = 2000;
const closeWithinMs = 15_000;

export interface ClusterOptions {
  readonly mongodbUrl: string;
  readonly mongodbDatabase: string;
  readonly redisUrl: string;
  readonly redisKeyPrefix: string;
  /** Make the indexes; otherwise they are only verified. */
  readonly migrate: boolean;
  /** How long to wait for MongoDB. Redis may come later. */
  readonly startTimeoutMs: number;
  readonly durabilityCheck: 'enforce' | 'warn';
  readonly hookPartitions: number;
  readonly ackReplicas: number;
  readonly retention: EventRetention;
  readonly runAgeMaxMs?: number;
  readonly deliveryRetentionMs: number;
  readonly lockDurationMs?: number;
  readonly stalledIntervalMs?: number;
  readonly drainDelaySeconds?: number;
  readonly onWarning?: (message: string, details?: object) => void;
  /**
   * Called when it turns out, after the start, that this process must not go on: a `RedisDurabilityError`, or a MongoDB
   * that it will not find again.
   */
  readonly onFatal?: (error: Error) => void;
}

/**
 * Opens MongoDB and Redis as one backend. Rejects when MongoDB does not come within `startTimeoutMs`, and with
 * `RedisDurabilityError` when Redis is there but would lose data; a Redis that is away is waited for in the background.
 */
export async function openCluster(options: ClusterOptions): Promise<Backend> {
  const mongo = await openMongoStores({
    url: options.mongodbUrl,
    database: options.mongodbDatabase,
    startTimeoutMs: options.startTimeoutMs,
    migrate: options.migrate,
    deliveryRetentionMs: options.deliveryRetentionMs,
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
  });
  try {
    const counts = await mongo.partitions.ensureListed(options.hookPartitions);
    const redis = await openRedisParts(options, new PartitionCounts(mongo.partitions, counts));
    return assemble(mongo, redis);
  } catch (error) {
    await mongo.close();
    throw error;
  }
}

type RedisParts = Awaited<ReturnType<typeof openRedisParts>>;

async function openRedisParts(options: ClusterOptions, partitions: PartitionCounts) {
  const onWarning = options.onWarning ?? (() => undefined);
  const target = { url: options.redisUrl, onWarning };
  const keys = redisKeys(options.redisKeyPrefix);
  // Apart, because a confirmation by replicas holds up whatever else is on its connection.
  const commands = openFailFastConnection(target, 'widget-service:log');
  const producer = openFailFastConnection(target, 'widget-service:hooks');
  const close = () => {
    producer.disconnect();
    commands.disconnect();
  };
  try {
    await Promise.all([
      waitForFirstContact(commands, firstContactWithinMs),
      waitForFirstContact(producer, firstContactWithinMs),
    ]);
    await verifyDurability(commands, options, onWarning);
  } catch (error) {
    close();
    throw error;
  }
  const eventLog = new RedisEventLog({
    redis: commands,
    keys,
    retention: options.retention,
    ...(options.runAgeMaxMs === undefined ? {} : { runAgeMaxMs: options.runAgeMaxMs }),
    connectTail: () => openBlockingReadConnection(target, 'widget-service:tail'),
  });
  const control = new RedisControlLog({
    redis: commands,
    keys,
    connectTail: () => openBlockingReadConnection(target, 'widget-service:control'),
  });
  const rateLimiter = new RedisRateLimiter({ redis: commands, keys });
  const hookQueue = new BullmqHookQueue({
    redis: producer,
    keys,
    partitions,
    ackReplicas: options.ackReplicas,
    connectWorkers: () => openWorkerConnection(target, 'widget-service:worker'),
    timing: {
      lockDurationMs: options.lockDurationMs ?? defaultWorkerTiming.lockDurationMs,
      stalledIntervalMs: options.stalledIntervalMs ?? defaultWorkerTiming.stalledIntervalMs,
      drainDelaySeconds: options.drainDelaySeconds ?? defaultWorkerTiming.drainDelaySeconds,
    },
    onWarning,
  });
  return { eventLog, hookQueue, control, rateLimiter, close };
}

function assemble(mongo: MongoStores, redis: RedisParts): Backend {
  const { eventLog, hookQueue, control, rateLimiter } = redis;
  const close = async () => {
    await hookQueue.close();
    await eventLog.close();
    await control.close();
    redis.close();
    await mongo.close();
  };
  return {
    kind: 'cluster',
    ...mongo.ports,
    eventLog,
    hookQueue,
    control,
    rateLimiter,
    removeExpired: async () => undefined,
    close: () => withDeadline(close(), closeWithinMs, 'closing the cluster backend'),
  };
}

/** Checks now if Redis is there, else as soon as it is. */
async function verifyDurability(redis: Redis, options: ClusterOptions, onWarning: OnWarning): Promise<void> {
  const check = async () => {
    try {
      await checkDurability(redis, onWarning);
      return true;
    } catch (error) {
      if (!(error instanceof RedisDurabilityError)) return false;
      if (options.durabilityCheck === 'enforce') throw error;
      onWarning(error.message);
      return true;
    }
  };
  if (await check()) return;
  const checkLater = () => {
    check().then(
      (isDone) => isDone && redis.off('ready', checkLater),
      (error: Error) => options.onFatal?.(error),
    );
  };
  redis.on('ready', checkLater);
}
