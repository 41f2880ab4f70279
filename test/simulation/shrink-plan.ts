import { type FailedSeed, runSeed } from './run-seeds.ts';
import type { Plan } from './world/plan.ts';

/** Most simulations to spend on shrinking one failing plan. */
const runsMax = 600;

/**
 * Removes faults and operations from a failing plan while it still fails, larger parts first. Removing an entry changes
 * the order that the seed gives to everything else. So the smaller plan may fail in another way, which is just as
 * useful.
 */
export async function shrinkPlan(failed: FailedSeed): Promise<FailedSeed> {
  let best = failed;
  let runs = 0;

  async function attempt(plan: Plan): Promise<boolean> {
    runs += 1;
    const outcome = await runSeed(failed.seed, plan);
    if (outcome === null) return false;
    best = outcome;
    return true;
  }

  async function shorten(part: 'faults' | 'operations'): Promise<void> {
    for (let size = Math.max(1, Math.ceil(best.plan[part].length / 2)); size >= 1; size = Math.floor(size / 2)) {
      for (let at = 0; at < best.plan[part].length && runs < runsMax; ) {
        const rest = best.plan[part].filter((_, index) => index < at || index >= at + size);
        if (!(await attempt({ ...best.plan, [part]: rest }))) at += size;
      }
    }
  }

  for (let before = -1; before !== estimateSize(best.plan) && runs < runsMax; ) {
    before = estimateSize(best.plan);
    await shorten('faults');
    await shorten('operations');
  }
  return best;
}

function estimateSize({ faults, operations }: Plan): number {
  return faults.length + operations.length;
}
