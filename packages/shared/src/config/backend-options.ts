import type { EventRetention } from '../ports/event-log.ts';
import type { Settings } from './settings.ts';

/** What the settings say of the embedded backend, in its own terms. */
export function embeddedOptionsOf(settings: Settings) {
  return {
    dataDir: settings.DATA_DIR,
    retention: retentionOf(settings),
    deliveryRetentionMs: settings.DELIVERY_RETENTION_MS,
  };
}

/** What the settings say of the cluster backend, in its own terms. */
export function clusterOptionsOf(settings: Settings) {
  return {
    ...mongoOptionsOf(settings),
    redisUrl: settings.REDIS_URL ?? '',
    redisKeyPrefix: settings.REDIS_KEY_PREFIX,
    durabilityCheck: settings.REDIS_DURABILITY_CHECK,
    hookPartitions: settings.HOOK_PARTITIONS,
    ackReplicas: settings.HOOK_ACK_REPLICAS,
    retention: retentionOf(settings),
  };
}

/** The part of it that concerns MongoDB. */
export function mongoOptionsOf(settings: Settings) {
  return {
    mongodbUrl: settings.MONGODB_URL ?? '',
    mongodbDatabase: settings.MONGODB_DATABASE,
    startTimeoutMs: settings.START_TIMEOUT_MS,
    migrate: settings.MIGRATE_ON_START,
    deliveryRetentionMs: settings.DELIVERY_RETENTION_MS,
  };
}

function retentionOf(settings: Settings): EventRetention {
  return {
    count: settings.EVENT_RETENTION_COUNT,
    ageMs: settings.EVENT_RETENTION_MS,
    bytes: settings.EVENT_RETENTION_BYTES,
  };
}
