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
