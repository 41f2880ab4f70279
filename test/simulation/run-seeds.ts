import { setImmediate as nextTurn } from 'node:timers/promises';
import { generatePlan } from './world/generate-plan.ts';
import type { Plan } from './world/plan.ts';
import { simulate } from './world/simulate.ts';

export interface FailedSeed {
  readonly seed: number;
  readonly plan: Plan;
  readonly violations: readonly string[];
}

/** Simulates one seed. Returns null without a violation. An exception in the code under simulation is a violation. */
export async function runSeed(seed: number, plan: Plan = generatePlan(seed)): Promise<FailedSeed | null> {
  const { violations } = await simulate(seed, plan).catch((error: unknown) => ({
    violations: [`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`],
  }));
  return violations.length === 0 ? null : { seed, plan, violations };
}

/** Simulates `count` seeds from `first` on, until one fails. Returns null if none does. */
export async function runSeeds(first: number, count: number): Promise<FailedSeed | null> {
  for (let seed = first; seed < first + count; seed += 1) {
    const failed = await runSeed(seed);
    if (failed !== null) return failed;
    // Lets the rest of this real process run between two seeds, never within one.
    await nextTurn();
  }
  return null;
}
