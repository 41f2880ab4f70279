import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';

/** A clock that stands still until it is moved. It starts now: stores remove by their own clocks what is over. */
export interface DrivenClock extends Clock {
  advance(ms: number): void;
}

export function createDrivenClock(): DrivenClock {
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
