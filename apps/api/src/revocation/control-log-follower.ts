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

export interface ControlLogFollowerDeps {
  readonly control: Pick<ControlLog, 'openTail'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /**
   * Called with the result of every successful read. After the call, every entry announced before `readStartedAtMs`
   * (monotonic clock) was in this or an earlier result, unless this result says `mayHaveMissed`.
   */
  readonly apply: (result: ControlReadResult, readStartedAtMs: number) => void;
  /** Called after every failed read, except while the task stops. */
  readonly onUnreachable: () => void;
  /** Awaited when the task ends. */
  readonly finish: () => Promise<void>;
}

/** The task that reads the control log. */
export interface ControlLogFollower extends Task {
  /** Whether the last read failed. */
  isUnreachable(): boolean;
}

/**
 * Creates the task that reads the control log as long as the pod runs (ADR 6).
 *
 * An unreachable control log leaves the pod ready: the pod keeps serving and re-checks its entitlements in the
 * stores instead. A read that does not return for 30 s makes it unready.
 */
export function createControlLogFollower(deps: ControlLogFollowerDeps): ControlLogFollower {
  const { control, clock, logger, apply, onUnreachable, finish } = deps;
  let readStartedAtMs: number | null = null;
  let isUnreachable = false;

  async function readOnce(tail: ControlTail, nowMs: number, signal: AbortSignal): Promise<void> {
    const result = await tail.next().catch(async (error: unknown) => {
      if (signal.aborted) return null;
      // Only the first failure of an outage is logged.
      if (!isUnreachable) logger.warn({ err: error }, 'control.unavailable');
      isUnreachable = true;
      onUnreachable();
      await clock.sleep(retryMs, signal);
      return null;
    });
    if (result === null) return;
    isUnreachable = false;
    apply(result, nowMs);
  }

  return {
    name: 'control',
    stores: ['events'],
    run: async (signal) => {
      const tail = control.openTail();
      signal.addEventListener('abort', () => void tail.close(), { once: true });
      try {
        while (!signal.aborted) {
          readStartedAtMs = clock.monotonicMs();
          await readOnce(tail, readStartedAtMs, signal);
        }
      } finally {
        readStartedAtMs = null;
        await tail.close();
        await finish();
      }
    },
    unreadyReason: () => {
      const isStuck = readStartedAtMs !== null && clock.monotonicMs() - readStartedAtMs > stuckAfterMs;
      return isStuck ? 'a read of the control log has not returned for more than 30 s' : null;
    },
    isUnreachable: () => isUnreachable,
  };
}
