import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { type EventRetention, toEventRetention } from '@widget-service/shared/ports/event-log.ts';
import { withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { Redis } from 'ioredis';
import { BullmqHookQueue } from './bullmq/bullmq-hook-queue.ts';
import { PartitionCounts } from './bullmq/partition-counts.ts';
import { defaultWorkerTiming, type WorkerTiming } from './bullmq/queue-options.ts';
import { listPartitionCount, readPartitionCounts } from './mongo/mongo-partition-counts.ts';
import { type MongoStores, openMongoStores } from './mongo/open-mongo-stores.ts';
import { openBlockingReadConnection, openFailFastConnection, WorkerRedis } from './redis/connections.ts';
import {
  checkDurability,
  RedisDurabilityError,
  RedisRefusalError,
  verifyTarget,
  waitForFirstContact,
} from './redis/first-contact.ts';
import { findRedisKeys } from './redis/keys.ts';
import { RedisControlLog } from './redis/redis-control-log.ts';
import { RedisEventLog } from './redis/redis-event-log.ts';
import { findTargets, type RedisTarget } from './redis/redis-failover.ts';
import { RedisHookCountStore } from './redis/redis-hook-count-store.ts';
import { RedisProcessStates } from './redis/redis-process-states.ts';
import { RedisRateLimiter } from './redis/redis-rate-limiter.ts';
import { findReplicas } from './redis/replica-tail.ts';
import { RestoreCheckedRuns } from './restore-check.ts';

const firstContactWithinMs = 2000;
/** @internal Exported for its test. */
export const backendCloseWithinMs = 15_000;

/** The settings of the process, and what it does besides. */
export interface ClusterOptions extends Settings {
  /** Whether to build missing indexes. Otherwise the start verifies them, and fails if one is missing. */
  readonly migrate: boolean;
  readonly onWarning?: (message: string, details?: object) => void;
  /** Receives what operators may want to know, without need to act. */
  readonly onNotice?: (message: string, details?: object) => void;
  /**
   * Called after the start, if this process must end: with a `RedisDurabilityError` or `RedisRefusalError`, or when its
   * MongoDB client cannot reconnect.
   */
  readonly onFatal?: (error: Error) => void;
  /** Only tests give the rest. */
  readonly retention?: EventRetention;
  /** See `RedisEventLogOptions`. */
  readonly runAgeMaxMs?: number;
  readonly timing?: WorkerTiming;
}

/**
 * Opens MongoDB and Redis as one backend. If Redis does not answer within 2 s, connects to it in the background.
 *
 * Rejects with the errors of `openMongoStores`, with `UnavailableError` if MongoDB fails after that, with
 * `RedisRefusalError`, and with `RedisDurabilityError` if Redis answers, may lose data, and `REDIS_DURABILITY_CHECK` is
 * `enforce`.
 */
export async function openCluster(options: ClusterOptions): Promise<Backend> {
  const mongo = await openMongoStores(options);
  try {
    const counts = await listPartitionCount(mongo.db, options.HOOK_PARTITIONS);
    const partitions = new PartitionCounts(counts, () => readPartitionCounts(mongo.db));
    const redis = await openRedisParts(options, partitions);
    return assemble(mongo, redis);
  } catch (error) {
    await mongo.close();
    throw error;
  }
}

type RedisParts = Awaited<ReturnType<typeof openRedisParts>>;

async function openRedisParts(options: ClusterOptions, partitions: PartitionCounts) {
  const onWarning = options.onWarning ?? (() => undefined);
  const keys = findRedisKeys(options);
  const { queue: target, events: eventsTarget } = findTargets(options, onWarning);
  const isLogAlone = eventsTarget !== target;
  // The producer has its own connection: WAIT, which confirms a write by replicas, blocks every other command on its
  // connection.
  const producer = openFailFastConnection(target, 'widget-service:hooks');
  const events = openFailFastConnection(eventsTarget, 'widget-service:log');
  const limits = isLogAlone ? openFailFastConnection(target, 'widget-service:limits') : events;
  const connections = [...new Set([producer, events, limits])];
  const close = () => {
    for (const connection of connections) connection.disconnect();
  };
  try {
    await Promise.all(
      connections.map((connection) =>
        waitForFirstContact(connection, connection === events ? eventsTarget : target, firstContactWithinMs),
      ),
    );
    await verifyDurability(limits, options, target);
    if (isLogAlone) await verifyDurability(events, options, eventsTarget);
  } catch (error) {
    close();
    throw error;
  }
  const replicas = options.EVENTS_READ_REDIS;
  const eventLog = new RedisEventLog({
    redis: events,
    keys,
    retention: options.retention ?? toEventRetention(options.EVENT_RETENTION_BYTES),
    isAlone: isLogAlone,
    ...(options.runAgeMaxMs === undefined ? {} : { runAgeMaxMs: options.runAgeMaxMs }),
    connectTail: () => openBlockingReadConnection(eventsTarget, 'widget-service:tail'),
    onWarning,
    replicas: replicas === null ? null : findReplicas(eventsTarget, replicas),
  });
  const connectControlTail = () => openBlockingReadConnection(eventsTarget, 'widget-service:control');
  const control = new RedisControlLog(events, keys, connectControlTail);
  const hookQueue = new BullmqHookQueue({
    redis: producer,
    keys,
    partitions,
    ackReplicas: options.HOOK_ACK_REPLICAS,
    connectWorkers: () => new WorkerRedis(target, 'widget-service:worker'),
    timing: options.timing ?? defaultWorkerTiming,
    onNotice: options.onNotice ?? (() => undefined),
    onWarning,
  });
  // Neither a hook nor an event depends on the other ports.
  const ports = {
    ...{ eventLog, hookQueue, control },
    processStates: new RedisProcessStates(events, keys),
    rateLimiter: new RedisRateLimiter(limits, keys),
    hookCounts: new RedisHookCountStore(limits, keys, onWarning),
  };
  return { events, keys, ports, close };
}

function assemble(mongo: MongoStores, redis: RedisParts): Backend {
  const { eventLog, hookQueue, control } = redis.ports;
  const runs = new RestoreCheckedRuns(redis.events, redis.keys, mongo.runs);
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
    ...redis.ports,
    runs,
    findMismatch: () => runs.findMismatch(),
    // MongoDB's TTL indexes and the expiry of Redis keys do this.
    removeExpired: async () => undefined,
    close: () => withDeadline(close(), backendCloseWithinMs, 'closing the cluster backend'),
  };
}

/**
 * Checks now. If Redis does not answer, checks again each time the connection becomes ready, until a check completes.
 * Throws `RedisRefusalError`, and `RedisDurabilityError` with `REDIS_DURABILITY_CHECK=enforce`; a later check passes
 * the error to `onFatal` instead.
 */
async function verifyDurability(redis: Redis, options: ClusterOptions, target: RedisTarget): Promise<void> {
  const { onWarning, setting } = target;
  const check = async () => {
    try {
      await verifyTarget(redis, target);
      await checkDurability(redis, onWarning, setting);
      return true;
    } catch (error) {
      if (error instanceof RedisRefusalError) throw error;
      if (!(error instanceof RedisDurabilityError)) return false;
      if (options.REDIS_DURABILITY_CHECK === 'enforce') throw error;
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
