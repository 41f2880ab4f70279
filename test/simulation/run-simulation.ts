/**
 * `npm run simulate -- --seeds 1000000 --from 1`: as many seeds as asked for, in this process alone. Prints the first
 * that fails, made small, with all its steps; with `--brief` only what was violated. `SIMULATION_SEED=…` runs that one.
 */
import { parseArgs } from 'node:util';
import { describeFailure } from './describe-failure.ts';
import { runSeeds } from './run-seeds.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, brief: { type: 'boolean' } },
});
const single = process.env.SIMULATION_SEED;
const from = Number(single ?? values.from ?? 1);
const count = single === undefined ? Number(values.seeds ?? process.env.SIMULATION_SEEDS ?? 2_000) : 1;
const reportEvery = 5_000;

const startedAtMs = performance.now();
let done = 0;
let failed: Awaited<ReturnType<typeof runSeeds>> = null;
while (done < count && failed === null) {
  const some = Math.min(reportEvery, count - done);
  failed = await runSeeds(from + done, some);
  done += some;
  const perSecond = (done * 1_000) / (performance.now() - startedAtMs);
  if (failed === null && !values.brief) console.log(`${done} seeds, 0 violations, ${perSecond.toFixed(0)} seeds/s`);
}
if (failed !== null) {
  const { seed, violations } = failed;
  console.log(values.brief ? JSON.stringify({ seed, violations }) : await describeFailure(failed));
  process.exitCode = 1;
}
