import type { ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';

const retryMs = 500;
/** The log's reader returns or fails within a few seconds, also when nothing comes. */
const stuckAfterMs = 30_000;

export type Told = Awaited<ReturnType<ControlTail['next']>>;

export interface FollowControlLogDeps {
  readonly control: Pick<ControlLog, 'openTail'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Gets all that was announced by `askedAtMs` and not told before, and perhaps more. */
  readonly carryOut: (told: Told, askedAtMs: number) => void;
  /** Whenever the log could not be heard. */
  readonly onDeaf: () => void;
  /** Waited for when the task ends. */
  readonly finish: () => Promise<void>;
}

export interface FollowControlLog extends Task {
  /** Whether the log could not be heard the last time. */
  isAway(): boolean;
}

/** Reads the control log as long as the pod runs. A log that is away keeps nobody from being served. */
export function createFollowControlLog(deps: FollowControlLogDeps): FollowControlLog {
  const { control, clock, logger, carryOut, onDeaf, finish } = deps;
  let askedAtMs: number | null = null;
  let isAway = false;

  async function step(tail: ControlTail, nowMs: number, signal: AbortSignal): Promise<void> {
    const told = await tail.next().catch(async (error: unknown) => {
      if (signal.aborted) return null;
      if (!isAway) logger.warn({ err: error }, 'control.unavailable');
      isAway = true;
      onDeaf();
      await clock.sleep(retryMs, signal);
      return null;
    });
    if (told === null) return;
    isAway = false;
    carryOut(told, nowMs);
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
    isAway: () => isAway,
  };
}
