import type { EventLog } from '../ports/event-log.ts';
import type { RunRegister } from '../ports/run-register.ts';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

export interface StoreReachDeps {
  readonly runs: Pick<RunRegister, 'lastPosition'>;
  readonly eventLog: Pick<EventLog, 'inspect'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longer than a store is away when it fails over: handed back too soon, a job would go round for nothing. */
const awayAfterMs = 10_000;
const askBackoff = { firstMs: 200, maxMs: 2_000 };

/**
 * What this process has learned of its way to the stores, from the outcome of its runs. A worker that is cut off while
 * others are not must not keep the jobs it has taken: it would hold up their partitions for as long as it is.
 */
export class StoreReach {
  readonly #deps: StoreReachDeps;
  #failingSinceMs: number | null = null;
  #away = new AbortController();

  constructor(deps: StoreReachDeps) {
    this.#deps = deps;
  }

  /** A run was ended by a store that did not answer. */
  noteFailure(): void {
    const { clock, logger } = this.#deps;
    this.#failingSinceMs ??= clock.monotonicMs();
    if (this.isAway || clock.monotonicMs() - this.#failingSinceMs < awayAfterMs) return;
    logger.warn({}, 'stores.away');
    this.#away.abort();
  }

  noteAnswer(): void {
    this.#failingSinceMs = null;
    if (!this.isAway) return;
    this.#away = new AbortController();
    this.#deps.logger.info({}, 'stores.back');
  }

  /** Whether no run has been answered for so long that another process may do better. */
  get isAway(): boolean {
    return this.#away.signal.aborted;
  }

  /** Aborted as soon as they are away, so that nobody waits on; another one when they are back. */
  get awaySignal(): AbortSignal {
    return this.#away.signal;
  }

  /** Resolves as soon as the stores are not away, and when the signal is aborted. */
  async untilBack(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (let failures = 0; this.isAway && !signal.aborted; failures += 1) {
      if (await this.#doTheyAnswer()) this.noteAnswer();
      else await clock.sleep(backoffMs(failures + 1, askBackoff), signal);
    }
  }

  #doTheyAnswer(): Promise<boolean> {
    const { runs, eventLog } = this.#deps;
    return Promise.all([runs.lastPosition(), eventLog.inspect(null)]).then(
      () => true,
      () => false,
    );
  }
}
