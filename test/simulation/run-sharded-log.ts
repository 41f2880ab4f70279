/**
 * `npm run simulate:shards -- --seeds 100000 --from 1`: simulates an event log with shards, which is not built.
 * `--mutations` leaves out one rule after the other, until a violation shows. `--loads` prints the table of shards × pods.
 */
import { parseArgs } from 'node:util';
import { formatShardLoads } from './sharded-log/load-per-shard.ts';
import { keepAllRulesBut, ruleNames, ruleTexts } from './sharded-log/rules.ts';
import { shrinkSteps } from './sharded-log/shrink-steps.ts';
import { simulateShardedLog } from './sharded-log/simulate-sharded-log.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    mutations: { type: 'boolean' },
    loads: { type: 'boolean' },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.from) + index);

if (values.loads === true) {
  for (const hooksPerSecond of [10_000, 100_000]) {
    console.log(`\n${hooksPerSecond} hooks a second\n\n${formatShardLoads(hooksPerSecond)}`);
  }
} else if (values.mutations === true) {
  for (const name of ruleNames) {
    const seed = seeds.find((one) => simulateShardedLog(one, keepAllRulesBut(name)).violations.length > 0);
    const [violation = 'NOT FOUND'] =
      seed === undefined ? [] : simulateShardedLog(seed, keepAllRulesBut(name)).violations;
    console.log(`| ${ruleTexts[name]} | ${seed ?? '–'} | ${violation} |`);
    if (seed === undefined) process.exitCode = 1;
  }
} else {
  const startedAtMs = performance.now();
  let events = 0;
  for (const seed of seeds) {
    const result = simulateShardedLog(seed, keepAllRulesBut());
    events += result.events;
    if (result.violations.length === 0) continue;
    console.log(`seed ${seed}: ${result.violations.join('; ')}`);
    // The fewest steps that still break something, for a person to read.
    const fails = (keeps: (step: number) => boolean) =>
      simulateShardedLog(seed, keepAllRulesBut(), { keeps }).violations.length > 0;
    const kept = shrinkSteps(fails);
    const shrunk = simulateShardedLog(seed, keepAllRulesBut(), { keeps: (step) => kept.has(step), isTraced: true });
    console.log([...shrunk.trace, ...shrunk.violations].join('\n'));
    process.exitCode = 1;
    break;
  }
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
  if (process.exitCode !== 1) console.log(`${seeds.length} seeds, ${events} events, 0 violations, ${seconds} s`);
}
