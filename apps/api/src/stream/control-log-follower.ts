import type { ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';

const retryMs = 500;
/** The log's reader returns or fails within a few seconds, also when nothing comes. */
const stuckAfterMs = 30_000;

export type ControlBatch = Awaited<ReturnType<ControlTail['next']>>;

export interface ControlLogFollowerDeps {
  readonly control: Pick<ControlLog, 'openTail'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Gets all that was announced by `askedAtMs` and not told before, and perhaps more. */
  readonly apply: (told: ControlBatch, askedAtMs: number) => void;
  /** Whenever the log could not be heard. */
  readonly onUnreachable: () => void;
  /** Waited for when the task ends. */
  readonly finish: () => Promise<void>;
}

export interface ControlLogFollower extends Task {
  /** Whether the log could not be heard the last time. */
  isUnreachable(): boolean;
}

/** Reads the control log as long as the pod runs. A log that is away keeps nobody from being served. */
export function createControlLogFollower(deps: ControlLogFollowerDeps): ControlLogFollower {
  const { control, clock, logger, apply, onUnreachable, finish } = deps;
  let askedAtMs: number | null = null;
  let isAway = false;

  async function step(tail: ControlTail, nowMs: number, signal: AbortSignal): Promise<void> {
    const told = await tail.next().catch(async (error: unknown) => {
      if (signal.aborted) return null;
      if (!isAway) logger.warn({ err: error }, 'control.unavailable');
      isAway = true;
      onUnreachable();
      await clock.sleep(retryMs, signal);
      return null;
    });
    if (told === null) return;
    isAway = false;
    apply(told, nowMs);
  }

  return {
    name: 'control',
    run: async (signal) => {
      const tail = control.openTail();
      signal.addEventListener('abort', () => void tail.close(), { once: true });
      try {
        while (!signal.aborted) {
          askedAtMs = clock.monotonicMs();
          await step(tail, askedAtMs, signal);
        }
      } finally {
        askedAtMs = null;
        await tail.close();
        await finish();
      }
    },
    problem: () => {
      const isStuck = askedAtMs !== null && clock.monotonicMs() - askedAtMs > stuckAfterMs;
      return isStuck ? 'waits for the control log without end' : null;
    },
    isUnreachable: () => isAway,
  };
}
