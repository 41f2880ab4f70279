import type { Settings } from '../config/settings.ts';
import type { HealthCheck } from '../runtime/ops-server.ts';
import type { StoreRole, TaskCheck } from '../runtime/supervisor.ts';

type StoreSettings = Pick<Settings, 'MONGODB_URL' | 'EVENTS_REDIS_URL'>;

export interface ReadinessDeps {
  readonly settings: StoreSettings;
  readonly checkTasks: () => readonly TaskCheck[];
  /** Whether the process drains before it stops. A worker just stops. */
  readonly drains: boolean;
}

/** Whether a process is ready, and why it is not. */
export interface Readiness {
  /** The process is not ready from now on. */
  markDraining(): void;
  /** Returns every check, failing or not, for `/readyz`. */
  checks(): HealthCheck[];
  /** Returns a text for each task that makes no progress, for the overview. */
  listReasons(): string[];
}

/**
 * The one place that decides whether a process is ready: it does not drain, and every task makes progress. `/readyz`
 * waits for the start, too. A task says itself why it makes none (`Task.unreadyReason`):
 * - `tail`: it has no position in the event log yet, or has been behind it for 10 s.
 * - `control`: a read of the control log has not returned for 30 s.
 * - `hook-consumer` and `hook-queue`: a store does not answer, or jobs wait and none is processed.
 * - `store-match`: MongoDB is older than the event log.
 * - every periodic task: its round has been running for over a minute.
 */
export function createReadiness({ settings, checkTasks, drains }: ReadinessDeps): Readiness {
  const nameStores = makeNameStores(settings);
  let isDraining = false;
  const describeTasks = () => nameStores(checkTasks());
  return {
    markDraining: () => {
      isDraining = true;
    },
    checks: () => [
      ...(drains ? [{ name: 'drain', reason: isDraining ? 'the process is draining' : null }] : []),
      ...describeTasks(),
    ],
    listReasons: () => describeTasks().flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`])),
  };
}

/**
 * Makes the function that adds to each failing check which stores its task needs. It names their settings, because a
 * URL may hold a password. So whoever reads `/readyz` knows which of two Redis to look at.
 */
function makeNameStores({ MONGODB_URL, EVENTS_REDIS_URL }: StoreSettings) {
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
