import type { Backend } from '../ports/backend.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type Task } from '../runtime/supervisor.ts';

export interface StoreMatchDeps {
  readonly backend: Pick<Backend, 'findMismatch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each check that found a mismatch. */
  readonly onMismatch?: () => void;
}

const everyMs = 5_000;
const retryMs = 500;

/** Knows whether the stores fit together (`Backend.findMismatch`). */
export class StoreMatch {
  /** Checks every 5 s. The process is not ready while the stores do not fit together. */
  readonly task: Task;
  readonly #deps: StoreMatchDeps;
  readonly #checked = Promise.withResolvers<void>();
  #isChecked = false;
  #reason: string | null = null;

  constructor(deps: StoreMatchDeps) {
    this.#deps = deps;
    const options = {
      name: 'store-match',
      stores: [],
      everyMs: () => (this.#isChecked ? everyMs : retryMs),
      clock: deps.clock,
      // Whoever uses the stores reports that they do not answer.
      onError: () => undefined,
    };
    const task = createPeriodicTask(options, () => this.#check());
    this.task = { ...task, unreadyReason: () => this.#reason ?? task.unreadyReason() };
  }

  /** Why the stores do not fit together. Null: they do, as far as known. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Resolves after the first check that the stores answered, or once `signal` is aborted. */
  async waitUntilChecked(signal: AbortSignal): Promise<void> {
    if (this.#isChecked || signal.aborted) return;
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = () => resolve();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#checked.promise, aborted]);
    signal.removeEventListener('abort', abort);
  }

  async #check(): Promise<void> {
    const { backend, logger, onMismatch } = this.#deps;
    const reason = await backend.findMismatch();
    if (reason !== null && this.#reason === null) logger.error({ reason }, 'stores.mismatch');
    if (reason === null && this.#reason !== null) logger.info({}, 'stores.match');
    this.#reason = reason;
    if (reason !== null) onMismatch?.();
    this.#isChecked = true;
    this.#checked.resolve();
  }
}
