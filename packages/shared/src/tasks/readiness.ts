import type { Settings } from '../config/settings.ts';
import type { HealthCheck } from '../runtime/ops-server.ts';
import type { StoreRole, TaskCheck } from '../runtime/supervisor.ts';

type StoreSettings = Pick<Settings, 'MONGODB_URL' | 'EVENTS_REDIS_URL'>;

/**
 * The one place that decides whether a process is ready: it does not drain, and every task makes progress. `/readyz`
 * waits for the start, too. A task says itself why it makes none (`Task.unreadyReason`):
 * - `tail`: it has no position in the event log yet, or has been behind it for 10 s.
 * - `control`: a read of the control log has not returned for 30 s.
 * - `hook-consumer` and `hook-queue`: a store does not answer, or jobs wait and none is processed.
 * - `store-match`: MongoDB is older than the event log.
 * - every periodic task: its round has been running for over a minute.
 */
export class Readiness {
  readonly #settings: StoreSettings;
  readonly #checkTasks: () => readonly TaskCheck[];
  readonly #drains: boolean;
  #isDraining = false;

  /** `drains`: whether the process drains before it stops. A worker just stops. */
  constructor(settings: StoreSettings, checkTasks: () => readonly TaskCheck[], drains: boolean) {
    this.#settings = settings;
    this.#checkTasks = checkTasks;
    this.#drains = drains;
  }

  /** The process is not ready from now on. */
  markDraining(): void {
    this.#isDraining = true;
  }

  /** Returns every check, failing or not, for `/readyz`. */
  checks(): HealthCheck[] {
    const drain = { name: 'drain', reason: this.#isDraining ? 'the process is draining' : null };
    return [...(this.#drains ? [drain] : []), ...this.#checkTasks().map((check) => nameStores(check, this.#settings))];
  }

  /** Returns a text for each task that makes no progress, for the overview. */
  listReasons(): string[] {
    const checks = this.#checkTasks().map((check) => nameStores(check, this.#settings));
    return checks.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`]));
  }
}

/**
 * Adds to a failing check which stores its task needs, so that `/readyz` says which of two Redis to look at. It names
 * their settings and not their URLs, which may hold passwords.
 */
function nameStores(
  { name, reason, stores }: TaskCheck,
  { MONGODB_URL, EVENTS_REDIS_URL }: StoreSettings,
): HealthCheck {
  const events = EVENTS_REDIS_URL === null ? 'REDIS_URL' : 'EVENTS_REDIS_URL';
  const settingOf: Readonly<Record<StoreRole, string>> =
    MONGODB_URL === null
      ? { documents: 'DATA_DIR', queue: 'DATA_DIR', events: 'DATA_DIR' }
      : { documents: 'MONGODB_URL', queue: 'REDIS_URL', events };
  const settings = [...new Set(stores.map((role) => settingOf[role]))].join(', ');
  return { name, reason: reason === null || settings === '' ? reason : `${reason} (store: ${settings})` };
}
