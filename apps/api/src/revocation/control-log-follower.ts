import type { ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';

/** The pause after a failed read. */
const retryMs = 500;
/** A read of the control log returns or fails within a few seconds, even if there are no entries. */
const stuckAfterMs = 30_000;

/** The result of one read of the control log. */
export type ControlReadResult = Awaited<ReturnType<ControlTail['next']>>;

/** Receives the results of reading the control log. */
export interface ControlListener {
  /**
   * Called with the result of every successful read. This and earlier results contain every entry that was announced
   * before `readStartedAtMs` (monotonic clock), unless this result says `mayHaveMissed`.
   */
  apply(result: ControlReadResult, readStartedAtMs: number): void;
  /** Called after every failed read, except while the task stops. */
  onUnreachable(): void;
  /** Awaited when the task ends. */
  finish(): Promise<void>;
}

/**
 * The task that reads the control log as long as the pod runs (ADR 6).
 *
 * If the control log is unreachable, the pod stays ready and re-checks its entitlements in the stores instead. A read
 * that does not return for 30 s makes the pod unready.
 */
export class ControlLogFollower implements Task {
  readonly name = 'control';
  readonly stores = ['events'] as const;
  readonly #control: Pick<ControlLog, 'openTail'>;
  readonly #listener: ControlListener;
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'warn'>;
  #readStartedAtMs: number | null = null;
  /** Whether the last read failed. */
  isUnreachable = false;

  constructor(
    control: Pick<ControlLog, 'openTail'>,
    listener: ControlListener,
    clock: Clock,
    logger: Pick<Logger, 'warn'>,
  ) {
    this.#control = control;
    this.#listener = listener;
    this.#clock = clock;
    this.#logger = logger;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tail = this.#control.openTail();
    signal.addEventListener('abort', () => void tail.close(), { once: true });
    try {
      while (!signal.aborted) {
        this.#readStartedAtMs = this.#clock.monotonicMs();
        await this.#readOnce(tail, this.#readStartedAtMs, signal);
      }
    } finally {
      this.#readStartedAtMs = null;
      await tail.close();
      await this.#listener.finish();
    }
  }

  unreadyReason(): string | null {
    const startedAtMs = this.#readStartedAtMs;
    const isStuck = startedAtMs !== null && this.#clock.monotonicMs() - startedAtMs > stuckAfterMs;
    return isStuck ? 'a read of the control log has not returned for more than 30 s' : null;
  }

  async #readOnce(tail: ControlTail, nowMs: number, signal: AbortSignal): Promise<void> {
    const result = await tail.next().catch(async (error: unknown) => {
      if (signal.aborted) return null;
      // Only the first failure of an outage is logged.
      if (!this.isUnreachable) this.#logger.warn({ err: error }, 'control.unavailable');
      this.isUnreachable = true;
      this.#listener.onUnreachable();
      await this.#clock.sleep(retryMs, signal);
      return null;
    });
    if (result === null) return;
    this.isUnreachable = false;
    this.#listener.apply(result, nowMs);
  }
}
