/**
 * `npm run scenarios:mutations`: takes rules of the data path out of a copy of the code in turn, runs the tests that are to
 * notice on real servers, and tells how many violations each checker found, or which test failed. Needs MONGODB_URL and
 * REDIS_URL, or Docker, and haproxy. `-- --only tail` takes out only those rules.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FaultRow, loadFaultRows, tableFolderVariable } from '../harness/fault-table.ts';
import { clusterRules } from '../mutations/cluster-rules.ts';
import { makeMutantTree } from '../mutations/mutant-tree.ts';
import { findClusterServers } from './cluster-servers.ts';

const reasonMaxLength = 200;

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = clusterRules.filter(({ rule }) => rule.includes(values.only ?? ''));
const servers = await findClusterServers();
if (servers === null) throw new Error('the scenarios need MONGODB_URL and REDIS_URL, or Docker');
const { environment } = servers;

const tree = await makeMutantTree(['packages', 'apps', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']);
let missed = 0;
try {
  for (const mutation of chosen) {
    const restore = await tree.mutate(mutation);
    const found = await whatIsNoticedBy(mutation.noticedBy);
    await restore();
    if (found.length === 0) missed += 1;
    console.log(`| ${mutation.rule} | ${found.length === 0 ? 'NOT FOUND' : found.join('; ')} |`);
  }
} finally {
  await tree.dispose();
  await servers.stop();
}
console.log(`\nrules: ${chosen.length - missed} found, ${missed} not found`);
process.exitCode = missed === 0 ? 0 : 1;

/** Runs a file of tests in the copy: what its checkers say, or where it has none, which of its tests failed. */
async function whatIsNoticedBy(file: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-faults-'));
  try {
    const output = await runVitest(file, folder);
    if (!/Tests .*\d (passed|failed)/.test(output)) throw new Error(`${file} was not run: ${output.slice(-2_000)}`);
    const violations = (await loadFaultRows(folder)).flatMap(violationsOf);
    if (violations.length > 0) return violations;
    return [...output.matchAll(/^ *FAIL +(.+)\n(.+)/gm)].map(
      ([, test, why]) => `${test}: ${why?.slice(0, reasonMaxLength)}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function runVitest(file: string, folder: string): Promise<string> {
  const vitest = join(tree.path, 'node_modules/.bin/vitest');
  const projects = ['scenarios', 'scenarios-alone', 'conformance-cluster'].flatMap((name) => ['--project', name]);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, 'run', ...projects, file], {
      cwd: tree.path,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, NO_COLOR: '1', [tableFolderVariable]: folder },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    child.once('close', () => resolve(output));
  });
}

function violationsOf({ fault, violations }: FaultRow): string[] {
  const counts = Object.entries(violations).filter(([, count]) => count > 0);
  return counts.length === 0 ? [] : [`${fault}: ${counts.map(([checker, count]) => `${checker} ${count}`).join(', ')}`];
}
