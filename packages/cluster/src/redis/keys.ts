/**
 * Every name this service uses in Redis. All of them carry the prefix as one hash tag, so that on a Redis Cluster they
 * lie on one shard and a script may touch them together.
 */
export interface RedisKeys {
  /** The stream that is the event log. */
  readonly log: string;
  /** A hash: the log's epoch, the run that began it, the last position, and which runs have appended lately. */
  readonly logMeta: string;
  /** The highest version of a widget that was appended. */
  watermark(widgetId: string): string;
  /** The stream that is the control log. */
  readonly control: string;
  /** There from the moment an event without a widget was appended. */
  appendedEvent(eventId: string): string;
  /** What is left of a rate limit; there only while something is missing from it. */
  limit(key: string): string;
  /** What BullMQ puts before every key of a queue. */
  readonly queuePrefix: string;
}

export function redisKeys(prefix: string): RedisKeys {
  const tag = `{${prefix}}`;
  return {
    log: `${tag}:log`,
    logMeta: `${tag}:log:meta`,
    control: `${tag}:control`,
    watermark: (widgetId) => `${tag}:log:version:${widgetId}`,
    appendedEvent: (eventId) => `${tag}:log:event:${eventId}`,
    limit: (key) => `${tag}:limit:${key}`,
    queuePrefix: tag,
  };
}

/** The number of partitions is part of the name: a deployment that changes it gets new queues beside the old ones. */
export function queueName(partitionCount: number, partition: number): string {
  return `hooks-${partitionCount}-${partition}`;
}
