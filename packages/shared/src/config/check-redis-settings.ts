import { explainUnusablePair, isKeyOf } from './pem-schemas.ts';
import type { Settings } from './settings.ts';

/** Returns one line per setting of Redis that means nothing without another one, or contradicts it. */
export function checkRedisSettings(settings: Settings): string[] {
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
  lines.push(...checkTls(settings));
  return lines;
}

function checkTls({ REDIS_URL, EVENTS_REDIS_URL, REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY }: Settings): string[] {
  const given = Object.entries({ REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY }).filter(([, value]) => value !== null);
  const hasTls = [REDIS_URL, EVENTS_REDIS_URL].some((url) => url?.startsWith('rediss:') === true);
  const lines = hasTls ? [] : given.map(([name]) => `${name}: needs a REDIS_URL that begins with rediss:`);
  if (REDIS_TLS_CERT !== null && REDIS_TLS_KEY === null) {
    lines.push('REDIS_TLS_CERT: needs REDIS_TLS_KEY, which is not set');
  }
  if (REDIS_TLS_KEY !== null && REDIS_TLS_CERT === null) {
    lines.push('REDIS_TLS_KEY: needs REDIS_TLS_CERT, which is not set');
  }
  if (REDIS_TLS_CERT !== null && REDIS_TLS_KEY !== null) lines.push(...checkPair(REDIS_TLS_KEY, REDIS_TLS_CERT));
  return lines;
}

function checkPair(key: string, certificate: string): string[] {
  const names = 'REDIS_TLS_CERT, REDIS_TLS_KEY';
  if (!isKeyOf(key, certificate)) return [`${names}: the key is not that of the first certificate; allowed: a pair`];
  const reason = explainUnusablePair(key, certificate);
  return reason === null ? [] : [`${names}: TLS refuses them (${reason}); allowed: a pair that TLS can use`];
}

/** Whether Sentinels or nodes of a cluster can name the replicas of the event log's Redis. */
function isLocated(settings: Settings): boolean {
  if (settings.EVENTS_REDIS_URL === null) {
    return settings.REDIS_SENTINELS !== null || settings.REDIS_CLUSTER_NODES !== null;
  }
  return settings.EVENTS_REDIS_SENTINEL_NAME !== null || settings.EVENTS_REDIS_CLUSTER_NODES !== null;
}
