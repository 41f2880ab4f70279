/**
 * `npm run simulate -- --seeds 1000000 --from 1`: simulates this many seeds, in this process alone. Prints the first
 * failing seed with its smallest plan and its last 400 steps. With `--brief`, prints only the violations.
 * `SIMULATION_SEED=…` runs only that seed.
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
