import type { Settings } from './settings.ts';

/** Returns one line per setting of Redis Sentinel that means nothing without another one. */
export function checkSentinelSettings(settings: Settings): string[] {
  const lines: string[] = [];
  const need = (name: keyof Settings, other: keyof Settings) => {
    const isGiven = settings[name] !== null && settings[name] !== false;
    if (isGiven && settings[other] === null) lines.push(`${name}: needs ${other}, which is not set`);
  };
  need('REDIS_SENTINELS', 'REDIS_SENTINEL_NAME');
  need('REDIS_SENTINELS', 'REDIS_URL');
  need('REDIS_SENTINEL_NAME', 'REDIS_SENTINELS');
  need('EVENTS_REDIS_SENTINEL_NAME', 'REDIS_SENTINELS');
  need('EVENTS_REDIS_SENTINEL_NAME', 'EVENTS_REDIS_URL');
  need('REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD');
  need('REDIS_SENTINEL_PASSWORD', 'REDIS_SENTINELS');
  need('REDIS_SENTINEL_TLS', 'REDIS_SENTINELS');
  need('EVENTS_READ_REDIS', 'REDIS_URL');
  if (settings.EVENTS_READ_REDIS === 'replicas' && !isLocated(settings)) {
    lines.push(
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    );
  }
  need('REDIS_CLUSTER_NODES', 'REDIS_URL');
  need('EVENTS_REDIS_CLUSTER_NODES', 'EVENTS_REDIS_URL');
  if (settings.REDIS_CLUSTER_NODES !== null && settings.REDIS_SENTINELS !== null)
    lines.push('REDIS_CLUSTER_NODES, REDIS_SENTINELS: a Redis Cluster has no Sentinels; allowed: one of them');
  if (settings.EVENTS_REDIS_CLUSTER_NODES !== null && settings.EVENTS_REDIS_SENTINEL_NAME !== null) {
    lines.push(
      'EVENTS_REDIS_CLUSTER_NODES, EVENTS_REDIS_SENTINEL_NAME: a Redis Cluster has no Sentinels; allowed: one of them',
    );
  }
  return lines;
}

/** Whether Sentinels or nodes of a cluster can name the replicas of the event log's Redis. */
function isLocated(settings: Settings): boolean {
  if (settings.EVENTS_REDIS_URL === null) {
    return settings.REDIS_SENTINELS !== null || settings.REDIS_CLUSTER_NODES !== null;
  }
  return settings.EVENTS_REDIS_SENTINEL_NAME !== null || settings.EVENTS_REDIS_CLUSTER_NODES !== null;
}
