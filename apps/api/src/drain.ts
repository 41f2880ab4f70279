import type { Clock } from '@widget-service/shared/runtime/clock.ts';

export interface DrainSteps {
  readonly clock: Clock;
  /** How long to go on as before, so that the load balancer has noticed. */
  readonly delayMs: number;
  /** Over how long the streams are ended. */
  readonly windowMs: number;
  readonly becomeNotReady: () => void;
  readonly endStreams: (windowMs: number) => Promise<void>;
  readonly finishRequests: () => Promise<void>;
  readonly stopTasks: () => Promise<void>;
  readonly closeBackend: () => Promise<void>;
}

/** Requests that are not done by then are cut off. */
const finishRequestsMaxMs = 15_000;
/** Tasks hand back what they have begun, and connections are closed: each has a bound of its own below this. */
const closeMaxMs = 20_000;

/** How long a drain may take. */
export function drainMaxMs({ delayMs, windowMs }: Pick<DrainSteps, 'delayMs' | 'windowMs'>): number {
  return delayMs + windowMs + finishRequestsMaxMs + closeMaxMs;
}

/**
 * Stops a pod without anybody missing anything: not ready, serve on for a while, end the streams in random slices,
 * finish requests, then tasks, then connections. Streams go before requests: a server waits for open responses for
 * ever.
 */
export async function drain(steps: DrainSteps): Promise<void> {
  steps.becomeNotReady();
  await steps.clock.sleep(steps.delayMs);
  await steps.endStreams(steps.windowMs);
  await Promise.race([steps.finishRequests(), steps.clock.sleep(finishRequestsMaxMs)]);
  await steps.stopTasks();
  await steps.closeBackend();
}
