import type { Backend } from '../ports/backend.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type Task } from '../runtime/supervisor.ts';

const everyMs = 5_000;
const retryMs = 500;

/** Checks that MongoDB is not older than the event log (`Backend.findMismatch`). */
export class StoreMatch {
  /** Checks every 5 s. The process is not ready while MongoDB is older. */
  readonly task: Task;
  readonly #backend: Pick<Backend, 'findMismatch'>;
  readonly #logger: Logger;
  readonly #onMismatch: () => void;
  readonly #checked = Promise.withResolvers<void>();
  #isChecked = false;
  #reason: string | null = null;

  /** `onMismatch` is called after each check that found a mismatch. */
  constructor(
    backend: Pick<Backend, 'findMismatch'>,
    clock: Clock,
    logger: Logger,
    onMismatch: () => void = () => undefined,
  ) {
    this.#backend = backend;
    this.#logger = logger;
    this.#onMismatch = onMismatch;
    const options = {
      name: 'store-match',
      stores: [],
      everyMs: () => (this.#isChecked ? everyMs : retryMs),
      clock,
      // The tasks that use the stores report that a store does not answer.
      onError: () => undefined,
    };
    const task = createPeriodicTask(options, () => this.#check());
    this.task = { ...task, unreadyReason: () => this.#reason ?? task.unreadyReason() };
  }

  /** What is wrong, in words. Null: nothing, as far as known. */
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
    const reason = await this.#backend.findMismatch();
    if (reason !== null && this.#reason === null) this.#logger.error({ reason }, 'stores.mismatch');
    if (reason === null && this.#reason !== null) this.#logger.info({}, 'stores.match');
    this.#reason = reason;
    if (reason !== null) this.#onMismatch();
    this.#isChecked = true;
    this.#checked.resolve();
  }
}
