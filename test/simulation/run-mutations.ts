/**
 * `npm run simulate:mutations`: removes each rule of the data path from a copy of the code, one at a time. Prints which
 * seed detects the removal, and the violation. Options: `-- --seeds 4000` (seeds to try), `-- --only watermark` (only
 * the rules whose text contains this).
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeMutantTree } from '../mutations/mutant-tree.ts';
import { processingRules } from '../mutations/processing-rules.ts';
import { streamRules } from '../mutations/stream-rules.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string' }, only: { type: 'string' } } });
const seeds = values.seeds ?? '4000';
const selectedRules = [...streamRules, ...processingRules].filter(({ rule }) => rule.includes(values.only ?? ''));

const tree = await makeMutantTree([
  'packages/shared',
  'apps/api',
  'test/simulation',
  'test/checkers',
  'test/package.json',
]);
let missed = 0;
try {
  for (const mutation of selectedRules) {
    const restore = await tree.mutate(mutation);
    const detection = simulateIn(tree.path);
    await restore();
    if (detection === null) missed += 1;
    console.log(`| ${mutation.rule} | ${detection ?? 'NOT FOUND'} |`);
  }
} finally {
  await tree.dispose();
}
console.log(`\nrules: ${selectedRules.length - missed} found, ${missed} not found`);
process.exitCode = missed === 0 ? 0 : 1;

function simulateIn(path: string): string | null {
  const script = join(path, 'test/simulation/run-simulation.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--brief', '--seeds', seeds], {
    encoding: 'utf8',
  });
  if (status === 0) return null;
  const lastLine = stdout.trim().split('\n').at(-1) ?? '';
  if (!lastLine.startsWith('{')) throw new Error(`The simulation did not run: ${stderr}`);
  const { seed, violations } = JSON.parse(lastLine) as { seed: number; violations: string[] };
  return `seed ${seed}: ${violations[0]}`;
}
