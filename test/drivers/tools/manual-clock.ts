import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';

/**
 * A clock that changes only when a test advances it. It starts at the current time, because stores expire rows by their
 * own clocks.
 */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(): ManualClock {
  const start = Date.now();
  let passedMs = 0;
  return {
    now: () => new Date(start + passedMs),
    monotonicMs: () => passedMs,
    sleep: systemClock.sleep,
    advance: (ms) => {
      passedMs += ms;
    },
  };
}
