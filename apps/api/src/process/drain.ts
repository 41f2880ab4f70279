import type { Clock } from '@widget-service/shared/runtime/clock.ts';

export interface DrainSteps {
  readonly clock: Clock;
  /** How long the pod keeps serving after it became not ready, so that the load balancer notices. */
  readonly delayMs: number;
  /** The time over which the pod spreads the closing of its streams. */
  readonly windowMs: number;
  readonly markNotReady: () => void;
  readonly endStreams: (windowMs: number) => Promise<void>;
  readonly finishRequests: () => Promise<void>;
  readonly stopTasks: () => Promise<void>;
  readonly closeBackend: () => Promise<void>;
}

/**
 * The time over which a pod closes its streams: all clients of a full pod connect anew within it. A load balancer that
 * notices late has more of them.
 */
export const toWindowMs = (delayMs: number) => 4 * delayMs;

/** How long the drain waits for requests. It goes on without those that take longer. */
const finishRequestsMaxMs = 15_000;
/** Longer than it takes to stop the tasks, which release their jobs in an embedded pod, and to close the backend. */
const closeMaxMs = 20_000;

/**
 * How long a drain takes at most, in milliseconds, if each step keeps its own bound. The caller ends the process after
 * this time.
 */
export function drainMaxMs(delayMs: number): number {
  return delayMs + toWindowMs(delayMs) + finishRequestsMaxMs + closeMaxMs;
}

/**
 * Stops a pod without losing work. It becomes not ready, keeps serving for `delayMs`, closes the streams at random
 * times within `windowMs`, finishes requests, stops its tasks and closes the backend. Streams end before requests,
 * because a server that closes waits for open responses forever. Rejects if a step rejects; the later steps then do not
 * run.
 */
export async function drain(steps: DrainSteps): Promise<void> {
  steps.markNotReady();
  await steps.clock.sleep(steps.delayMs);
  await steps.endStreams(steps.windowMs);
  await Promise.race([steps.finishRequests(), steps.clock.sleep(finishRequestsMaxMs)]);
  await steps.stopTasks();
  await steps.closeBackend();
}
