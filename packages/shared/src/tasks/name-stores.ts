import type { Settings } from '../config/settings.ts';
import type { HealthCheck } from '../runtime/ops-server.ts';
import type { StoreRole, TaskCheck } from '../runtime/supervisor.ts';

type StoreSettings = Pick<Settings, 'MONGODB_URL' | 'EVENTS_REDIS_URL'>;

/**
 * Makes the function that adds to each failing check which stores its task needs. It names their settings, because a
 * URL may hold a password. So whoever reads `/readyz` knows which of two Redis to look at.
 */
export function makeNameStores({ MONGODB_URL, EVENTS_REDIS_URL }: StoreSettings) {
  const settingOf: Readonly<Record<StoreRole, string>> =
    MONGODB_URL === null
      ? { documents: 'DATA_DIR', queue: 'DATA_DIR', events: 'DATA_DIR' }
      : {
          documents: 'MONGODB_URL',
          queue: 'REDIS_URL',
          events: EVENTS_REDIS_URL === null ? 'REDIS_URL' : 'EVENTS_REDIS_URL',
        };
  return (checks: readonly TaskCheck[]): HealthCheck[] =>
    checks.map(({ name, reason, stores }) => {
      const settings = [...new Set(stores.map((role) => settingOf[role]))].join(', ');
      return { name, reason: reason === null || settings === '' ? reason : `${reason} (store: ${settings})` };
    });
}

/** Says why a process is not ready, one text for each check that fails. Empty: it is ready. */
export function describeNotReady(checks: readonly HealthCheck[]): string[] {
  return checks.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`]));
}
