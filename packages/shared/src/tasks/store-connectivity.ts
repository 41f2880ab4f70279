import type { EventLog } from '../ports/event-log.ts';
import type { RunRegistry } from '../ports/run-registry.ts';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

export interface StoreConnectivityDeps {
  readonly runs: Pick<RunRegistry, 'lastPosition'>;
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
export class StoreConnectivity {
  readonly #deps: StoreConnectivityDeps;
  #failingSinceMs: number | null = null;
  #unreachable = new AbortController();

  constructor(deps: StoreConnectivityDeps) {
    this.#deps = deps;
  }

  /** A run was ended by a store that did not answer. */
  recordFailure(): void {
    const { clock, logger } = this.#deps;
    this.#failingSinceMs ??= clock.monotonicMs();
    if (this.isUnreachable || clock.monotonicMs() - this.#failingSinceMs < awayAfterMs) return;
    logger.warn({}, 'stores.away');
    this.#unreachable.abort();
  }

  recordSuccess(): void {
    this.#failingSinceMs = null;
    if (!this.isUnreachable) return;
    this.#unreachable = new AbortController();
    this.#deps.logger.info({}, 'stores.back');
  }

  /** Whether no run has been answered for so long that another process may do better. */
  get isUnreachable(): boolean {
    return this.#unreachable.signal.aborted;
  }

  /** Aborted as soon as they are away, so that nobody waits on; another one when they are back. */
  get unreachableSignal(): AbortSignal {
    return this.#unreachable.signal;
  }

  /** Resolves as soon as the stores are not away, and when the signal is aborted. */
  async waitUntilReachable(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (let failures = 0; this.isUnreachable && !signal.aborted; failures += 1) {
      if (await this.#probe()) this.recordSuccess();
      else await clock.sleep(backoffMs(failures + 1, askBackoff), signal);
    }
  }

  #probe(): Promise<boolean> {
    const { runs, eventLog } = this.#deps;
    return Promise.all([runs.lastPosition(), eventLog.inspect(null)]).then(
      () => true,
      () => false,
    );
  }
}
