import type { Settings } from '@widget-service/shared/config/settings.ts';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';

/**
 * Every key that this service uses in Redis. All keys carry the prefix as their hash tag. So a Redis Cluster keeps them
 * in one slot, and one script may access several of them.
 */
export function redisKeys(prefix: string) {
  const tag = `{${prefix}}`;
  return {
    /** The stream of the event log. */
    log: `${tag}:log`,
    /**
     * A hash. `epoch`, `epochRun` (the run that started the epoch), `ms` and `seq` are the log's end. `minRun`,
     * `checkpointRun`, `checkpointMs`, `highestRun` and `highestRunMs` serve to reject stale runs
     * (`log-functions.lua`).
     */
    logMeta: `${tag}:log:meta`,
    /** The stream of the control log. */
    control: `${tag}:control`,
    /** The watermark of a widget: its highest version that was appended. */
    watermark: (widgetId: string) => `${tag}:log:version:${widgetId}`,
    /** The dedupe mark of an event without a widget. Exists from the append on, until it expires. */
    appendedEvent: (eventId: string) => `${tag}:log:event:${eventId}`,
    /** The state of one rate limit. Absent while its whole burst is available. */
    limit: (key: string) => `${tag}:limit:${key}`,
    /** The hash that counts the hooks of one hour by integration. Absent if there were none. `hour`: RFC 3339. */
    hookCounts: (hour: string) => `${tag}:hook-counts:${hour}`,
    /** The hash that counts the deliveries in the hook queue by integration. Absent while the queue is empty. */
    waiting: `${tag}:waiting`,
    /** The number of one reporter's last report that `waiting` includes. Expires an hour after that report. */
    waitingReport: (reporterId: string) => `${tag}:waiting:report:${reporterId}`,
    /** The mark of `ReplicaAcks`: exists once a process has seen a replica of this Redis in sync. */
    replicated: `${tag}:replicated`,
    /** The sorted set of the ids of processes, by the time at which they last wrote their state. */
    processes: `${tag}:processes`,
    /** The hash with the state of a process and its listed streams. Expires a minute after the last write. */
    process: (processId: string) => `${tag}:process:${processId}`,
    /** The prefix of every BullMQ key. */
    queuePrefix: tag,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;

/** The keys of an installation, by the name of its database: on one Redis each needs another, even in two MongoDBs. */
export const findRedisKeys = ({ MONGODB_URL }: Pick<Settings, 'MONGODB_URL'>) =>
  redisKeys(findDatabaseName(MONGODB_URL ?? ''));

/** The name contains the partition count: a deployment that changes the count gets new queues beside the old ones. */
export function queueName(partitionCount: number, partition: number): string {
  return `hooks-${partitionCount}-${partition}`;
}
