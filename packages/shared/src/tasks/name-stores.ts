import type { Settings } from '../config/settings.ts';
import type { HealthCheck } from '../runtime/ops-server.ts';

type StoreSettings = Pick<Settings, 'MONGODB_URL' | 'EVENTS_REDIS_URL'>;

/**
 * Makes the function that adds to each failing check of a task which stores the task uses: by the names of their
 * settings, because a URL may hold a password. So whoever reads `/readyz` knows which of two Redis to look at.
 */
export function makeNameStores({ MONGODB_URL, EVENTS_REDIS_URL }: StoreSettings) {
  const eventsRedis = EVENTS_REDIS_URL === null ? 'REDIS_URL' : 'EVENTS_REDIS_URL';
  const storesByTask: Readonly<Record<string, string>> = {
    tail: eventsRedis,
    control: eventsRedis,
    entitlements: 'MONGODB_URL',
    'hook-queue': 'REDIS_URL',
    'hook-consumer': [...new Set(['MONGODB_URL', 'REDIS_URL', eventsRedis])].join(', '),
    'outbox-scanner': 'MONGODB_URL, REDIS_URL',
    retention: `MONGODB_URL, ${eventsRedis}`,
  };
  return (checks: readonly HealthCheck[]): HealthCheck[] =>
    checks.map(({ name, reason }) => {
      const stores = MONGODB_URL === null ? 'DATA_DIR' : storesByTask[name];
      return { name, reason: reason === null || stores === undefined ? reason : `${reason} (store: ${stores})` };
    });
}

/** Says why a process is not ready, one text for each check that fails. Empty: it is ready. */
export function describeNotReady(checks: readonly HealthCheck[]): string[] {
  return checks.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`]));
}
