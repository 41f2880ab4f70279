import type { Random } from '../engine/random.ts';
import { type Fault, planMs } from './plan.ts';

export function generateLoss(random: Random): Fault {
  const copyAgeMs = random.pick([null, 50, 400, 1_000, 8_000]);
  // Emptied in place, no connection need break.
  const forMs = random.pick(copyAgeMs === null ? [0, 0, 20, 500, 5_000] : [20, 500, 5_000]);
  return { kind: 'lose', atMs: random.whole(2_000, planMs), forMs, copyAgeMs };
}

/** Another run appends, and the log loses that, while one sleeps between its look at the last position and its append. */
export function generateLossBehindAppend(random: Random): Fault[] {
  const nth = random.whole(1, 8);
  const place = { role: 'worker', call: 'append', moment: 'before' } as const;
  const previousMs = random.pick([50, 300, 1_000]);
  return [
    { kind: 'sleep-at', ...place, nth, forMs: previousMs + random.whole(500, 3_000) },
    { kind: 'lose-at', ...place, nth: nth + 1, previousMs },
  ];
}

/**
 * The log loses what a run appended before anybody has recorded it: the next run will give the same numbers again. A
 * stream may just have begun after it, or a pod have read it and stand still until more is there than retention keeps.
 */
export function generateUnrecordedLoss(random: Random): Fault[] {
  const nth = random.whole(1, 8);
  const previousMs = random.pick([20, 50, 300]);
  return [
    { kind: 'lose-at', role: 'worker', call: 'append', nth, moment: 'before', previousMs },
    { kind: 'subscribe-at', role: 'worker', call: 'append', nth, moment: 'after' },
    {
      kind: 'sleep-at',
      role: 'worker',
      call: 'recordPosition',
      nth,
      moment: 'before',
      forMs: random.pick([500, 3_000, 12_000]),
    },
    ...(random.chance(0.5) ? [sleepingPods(random, nth)] : []),
  ];
}

function sleepingPods(random: Random, nth: number): Fault {
  const [forMs, isTrimmed] = [random.whole(500, 10_000), random.chance(0.5)];
  return { kind: 'pods-sleep-at', role: 'worker', call: 'append', nth, moment: 'after', forMs, isTrimmed };
}
