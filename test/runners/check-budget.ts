/**
 * `npm run check:budget`: fails if a part of the house holds more than `budget.json` allows, or if a sum of that file
 * is above one of its earlier versions. `--lower` lowers the figures to what is there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Budget, findExcess, findGrowth, lower, measure, openTree, sum } from './measure-budget.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = `${root}budget.json`;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** Also files that are not committed yet. */
const paths = git('ls-files', '--cached', '--others', '--exclude-standard')
  .split('\n')
  .filter((path) => path !== '' && existsSync(`${root}${path}`));
const budget = JSON.parse(readFileSync(file, 'utf8')) as Budget;
const actual = measure(budget, openTree(root, paths));
const earlier = git('log', '--format=%H', '--', 'budget.json').split('\n').filter(Boolean);
const failures = new Set(findExcess(budget, actual));
for (const commit of earlier) {
  const before = JSON.parse(git('show', `${commit}:budget.json`)) as Budget;
  for (const growth of findGrowth(budget, before)) failures.add(growth);
}

for (const failure of failures) console.error(failure);
const lowered = lower(budget, actual);
const canBeLowered = JSON.stringify(lowered) !== JSON.stringify(budget);
if (canBeLowered && process.argv.includes('--lower')) {
  writeFileSync(file, `${JSON.stringify(lowered, null, 2)}\n`);
  execFileSync('npx', ['biome', 'format', '--write', 'budget.json'], { cwd: root });
} else if (canBeLowered) {
  console.log('budget: some figures can be lowered: npm run check:budget -- --lower');
}
for (const [name, group] of Object.entries(actual.groups)) {
  console.log(`budget: ${name}: ${sum(group, 'lines')} lines in ${sum(group, 'files')} files`);
}
process.exitCode = failures.size === 0 ? 0 : 1;
