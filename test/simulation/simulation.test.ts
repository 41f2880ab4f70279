import { describe, expect, test } from 'vitest';
import { describeFailure } from './describe-failure.ts';
import { runSeeds } from './run-seeds.ts';
import { generatePlan } from './world/generate-plan.ts';
import { simulate } from './world/simulate.ts';

/** CI tries more seeds. `SIMULATION_SEED` tries one. */
const single = process.env.SIMULATION_SEED;
const first = Number(single ?? 1);
const count = single === undefined ? Number(process.env.SIMULATION_SEEDS ?? 400) : 1;
const perTest = 100;
const parts = Array.from({ length: Math.ceil(count / perTest) }, (_, part) => {
  const from = first + part * perTest;
  return { from, through: Math.min(from + perTest, first + count) - 1 };
});

describe('the simulated data path', () => {
  test.each(parts)('keeps the promise under the seeds $from to $through', async ({ from, through }) => {
    const failed = await runSeeds(from, through - from + 1);
    expect(failed === null ? '' : await describeFailure(failed)).toBe('');
  });

  test.each([first, first + 1, first + 2])('gives the same steps twice (seed %i)', async (seed) => {
    const traces: string[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const lines: string[] = [];
      await simulate(seed, generatePlan(seed), (text) => lines.push(text));
      traces.push(lines);
    }
    expect(traces[0]?.length).toBeGreaterThan(50);
    expect(traces[1]).toEqual(traces[0]);
  });
});
