import type { Random } from '../engine/random.ts';
import { type Fault, type PlanSettings, planMs, type ReplicaName } from './plan.ts';

const replicaNames: readonly ReplicaName[] = ['replica-1', 'replica-2'];

/** Replicas that lag, stand still, are down or frozen, and take over from the primary. */
export function generateReplicaFaults(random: Random, { replicas, pods }: PlanSettings): Fault[] {
  if (replicas === 0) return [];
  const pickReplica = () => random.pick(replicaNames.slice(0, replicas));
  const count = random.pick([0, 1, 2, 3, 4]);
  const faults = Array.from({ length: count }, (): Fault => {
    const [atMs, forMs] = [random.whole(0, planMs), random.pick([200, 1_000, 5_000, 12_000])];
    const replica = pickReplica();
    const isFrozen = random.chance(0.5);
    const process = `pod-${random.whole(1, pods)}`;
    const place = { role: 'worker', call: 'append', nth: random.whole(1, 8) } as const;
    return random.pick<() => Fault>([
      () => ({ kind: 'detach', atMs, replica, forMs }),
      () => ({ kind: 'detach-at', ...place, moment: 'before', replica, forMs }),
      () => ({ kind: 'unavailable', atMs, server: replica, forMs, isFrozen }),
      () => ({ kind: 'cut', atMs, server: replica, process, forMs }),
    ])();
  });
  if (random.chance(0.2)) {
    faults.push({ kind: 'abandon', atMs: random.whole(0, planMs), replica: pickReplica(), isDown: random.chance(0.3) });
  }
  if (random.chance(0.4)) faults.push(...generatePromotion(random, pickReplica));
  return faults;
}

/** Often after the replica that is promoted, or the other one, has missed an event. */
function generatePromotion(random: Random, pickReplica: () => ReplicaName): Fault[] {
  const nth = random.whole(1, 8);
  const place = { role: 'worker', call: 'append', nth } as const;
  const [promoted, behind] = [pickReplica(), pickReplica()];
  const downMs = random.pick([0, 20, 500, 5_000]);
  return [
    { kind: 'detach-at', ...place, moment: 'before', replica: behind, forMs: random.pick([500, 3_000, 10_000]) },
    { kind: 'promote-at', ...place, nth: nth + random.whole(0, 2), moment: 'after', replica: promoted, forMs: downMs },
    ...(random.chance(0.3)
      ? [{ kind: 'promote', atMs: random.whole(2_000, planMs), replica: promoted, forMs: downMs } as const]
      : []),
  ];
}

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
