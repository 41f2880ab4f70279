import { type FailedSeed, runSeed } from './run-seeds.ts';
import { shrinkPlan } from './shrink-plan.ts';
import { simulate } from './world/simulate.ts';

const linesMax = 400;

/**
 * Describes a failing seed: its violations, the smallest plan found that still fails, and the last 400 steps under that
 * plan. If the seed fails by an exception, the steps end there.
 */
export async function describeFailure(failed: FailedSeed): Promise<string> {
  const again = await runSeed(failed.seed, failed.plan);
  const isSame = JSON.stringify(again?.violations) === JSON.stringify(failed.violations);
  const smallest = await shrinkPlan(failed);
  const lines: string[] = [];
  // `runSeed` has already turned an exception of the plan into one of its violations.
  await simulate(smallest.seed, smallest.plan, (text) => lines.push(text)).catch(() => undefined);
  const { settings, operations, faults } = smallest.plan;
  return [
    `seed ${failed.seed} fails${isSame ? '' : ', and DOES NOT REPLAY: something is not simulated'}:`,
    ...failed.violations.map((violation) => `  ${violation}`),
    `to run it again: SIMULATION_SEED=${failed.seed} npm run simulate`,
    'the smallest plan that fails under this seed:',
    `  ${JSON.stringify(settings)}`,
    ...[...operations, ...faults].map((entry) => `  ${JSON.stringify(entry)}`),
    ...smallest.violations.map((violation) => `  → ${violation}`),
    `its ${lines.length} steps${lines.length > linesMax ? `, the last ${linesMax} of them` : ''}:`,
    ...lines.slice(-linesMax),
  ].join('\n');
}
