import { UnavailableError } from '../domain/errors.ts';
import type { Backend } from '../ports/backend.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { RunRegistry } from '../ports/run-registry.ts';
import { backoffMs, type Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { StoreRole } from '../runtime/supervisor.ts';

export interface StoreConnectivityDeps {
  readonly runs: Pick<RunRegistry, 'startRun'>;
  readonly eventLog: Pick<EventLog, 'inspect'>;
  readonly findMismatch: Backend['findMismatch'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Longer than a failover of a store takes. Otherwise every worker would release its jobs during a failover, although no
 * other worker could process them.
 */
export const unreachableAfterMs = 10_000;
const probeBackoff = { firstMs: 200, maxMs: 2_000 };

/**
 * Decides whether this process can reach the stores, from the outcomes of its runs and dead letters. The stores count
 * as unreachable once a call fails 10 s after the first failure, with no success in between.
 *
 * A worker that alone cannot reach the stores must release its jobs: otherwise it blocks their partitions (ADR 12).
 */
export class StoreConnectivity {
  readonly #deps: StoreConnectivityDeps;
  #failingSinceMs: number | null = null;
  #isMismatched = false;
  #silent: readonly StoreRole[] = [];
  #unreachable = new AbortController();

  constructor(deps: StoreConnectivityDeps) {
    this.#deps = deps;
  }

  /** Records that a store did not answer. 10 s after the first such call, the stores count as unreachable. */
  recordFailure(): void {
    const { clock, logger } = this.#deps;
    this.#failingSinceMs ??= clock.monotonicMs();
    if (this.isUnreachable || clock.monotonicMs() - this.#failingSinceMs < unreachableAfterMs) return;
    logger.warn({}, 'stores.unreachable');
    this.#unreachable.abort();
  }

  /** Records that MongoDB is older than the event log. The stores count as unreachable until that is mended. */
  recordMismatch(): void {
    this.#isMismatched = true;
    if (!this.isUnreachable) this.#unreachable.abort();
  }

  /** Records that the stores answered: they count as reachable, and the 10 s start again at the next failure. */
  recordSuccess(): void {
    this.#failingSinceMs = null;
    if (!this.isUnreachable || this.#isMismatched) return;
    this.#unreachable = new AbortController();
    this.#deps.logger.info({}, 'stores.reachable');
  }

  /** Whether the stores count as unreachable. */
  get isUnreachable(): boolean {
    return this.#unreachable.signal.aborted;
  }

  /** The stores that did not answer the last probe. Empty: not known. */
  get silent(): readonly StoreRole[] {
    return this.#silent;
  }

  /**
   * Aborts when the stores become unreachable. After `recordSuccess` the property returns a new signal: read it again.
   */
  get unreachableSignal(): AbortSignal {
    return this.#unreachable.signal;
  }

  /** Probes the stores every 0.1 s to 2 s. Resolves once they are reachable, or once `signal` is aborted. */
  async waitUntilReachable(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (let failures = 0; this.isUnreachable && !signal.aborted; failures += 1) {
      if (await this.#probe()) {
        this.#isMismatched = false;
        this.recordSuccess();
      } else await clock.sleep(backoffMs(failures + 1, probeBackoff), signal);
    }
  }

  /** Takes a run number, because that is a write: a server that is no longer the primary still answers reads. */
  async #probe(): Promise<boolean> {
    const { runs, eventLog, findMismatch } = this.#deps;
    const [mismatch, started, events] = await Promise.allSettled([
      findMismatch(),
      runs.startRun(),
      eventLog.inspect(null),
    ]);
    const isMatch = mismatch.status === 'fulfilled' && mismatch.value === null;
    // A run is also refused while the stores do not match, or while the other store does not answer.
    const isWriteRefused =
      started.status === 'rejected' &&
      (mismatch.status === 'rejected' || isMatch) &&
      !(started.reason instanceof UnavailableError && started.reason.failedPort !== undefined);
    this.#silent = [
      ...(isWriteRefused ? (['documents'] as const) : []),
      ...(events.status === 'rejected' ? (['events'] as const) : []),
    ];
    return isMatch && started.status === 'fulfilled' && events.status === 'fulfilled';
  }
}
