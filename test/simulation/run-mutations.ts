/**
 * `npm run simulate:mutations`: takes each rule of the data path out of a copy of the code in turn, and tells by which
 * seed the simulation finds it, and what it saw. `-- --seeds 2000` tries so many, `-- --only watermark` only those rules.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeMutantTree } from '../mutations/mutant-tree.ts';
import { processingRules } from '../mutations/processing-rules.ts';
import { streamRules } from '../mutations/stream-rules.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string' }, only: { type: 'string' } } });
const seeds = values.seeds ?? '2000';
const chosen = [...streamRules, ...processingRules].filter(({ rule }) => rule.includes(values.only ?? ''));

const tree = await makeMutantTree(['packages/shared', 'apps/api', 'test/simulation', 'test/package.json']);
let missed = 0;
try {
  for (const mutation of chosen) {
    const restore = await tree.mutate(mutation);
    const found = simulateIn(tree.path);
    await restore();
    if (found === null) missed += 1;
    console.log(`| ${mutation.rule} | ${found ?? 'NOT FOUND'} |`);
  }
} finally {
  await tree.dispose();
}
console.log(`\nrules: ${chosen.length - missed} found, ${missed} not found`);
process.exitCode = missed === 0 ? 0 : 1;

function simulateIn(path: string): string | null {
  const script = join(path, 'test/simulation/run-simulation.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--brief', '--seeds', seeds], {
    encoding: 'utf8',
  });
  if (status === 0) return null;
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`the simulation did not run: ${stderr}`);
  const { seed, violations } = JSON.parse(line) as { seed: number; violations: string[] };
  return `seed ${seed}: ${violations[0]}`;
}
