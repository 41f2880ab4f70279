import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';

/** A clock on which `factor` seconds pass in each real one. Its pauses are as much shorter. */
export function createFastClock(factor: number): Clock {
  const startedAtMs = Date.now();
  const passedMs = () => factor * performance.now();
  const firstMs = passedMs();
  return {
    now: () => new Date(startedAtMs + passedMs() - firstMs),
    monotonicMs: passedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}
