import type { Random } from '../engine/random.ts';
import { type Fault, planMs } from './plan.ts';

export function generateLoss(random: Random): Fault {
  const copyAgeMs = random.pick([null, 50, 400, 1_000, 8_000]);
  // Emptying in place need not break connections.
  const forMs = random.pick(copyAgeMs === null ? [0, 0, 20, 500, 5_000] : [20, 500, 5_000]);
  return { kind: 'lose', atMs: random.whole(2_000, planMs), forMs, copyAgeMs };
}

/**
 * A run sleeps between reading the last position and appending. Meanwhile another run appends, and the log loses that
 * event.
 */
export function generateLossBehindAppend(random: Random): Fault[] {
  const nth = random.whole(1, 8);
  const place = { role: 'worker', call: 'append', moment: 'before' } as const;
  const delayMs = random.pick([50, 300, 1_000]);
  return [
    { kind: 'sleep-at', ...place, nth, forMs: delayMs + random.whole(500, 3_000) },
    { kind: 'lose-at', ...place, nth: nth + 1, delayMs },
  ];
}

/**
 * The log loses what a run appended, before any run has recorded it. The next run gives the same numbers again. A
 * stream may have started right after the lost event. Or a pod may have read it, and sleep until the log holds more
 * than retention keeps.
 */
export function generateUnrecordedLoss(random: Random): Fault[] {
  const nth = random.whole(1, 8);
  const delayMs = random.pick([20, 50, 300]);
  return [
    { kind: 'lose-at', role: 'worker', call: 'append', nth, moment: 'before', delayMs },
    { kind: 'subscribe-at', role: 'worker', call: 'append', nth, moment: 'after' },
    {
      kind: 'sleep-at',
      role: 'worker',
      call: 'recordPosition',
      nth,
      moment: 'before',
      forMs: random.pick([500, 3_000, 12_000]),
    },
    ...(random.chance(0.5) ? [generatePodSleep(random, nth)] : []),
  ];
}

function generatePodSleep(random: Random, nth: number): Fault {
  const [forMs, isTrimmed] = [random.whole(500, 10_000), random.chance(0.5)];
  return { kind: 'pods-sleep-at', role: 'worker', call: 'append', nth, moment: 'after', forMs, isTrimmed };
}
