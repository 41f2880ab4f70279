/**
 * `npm run scenarios:mutations`: takes rules of the data path out of a copy of the code in turn, runs the tests that are to
 * notice on real servers, and tells how many violations each checker found, or which test failed. Needs MONGODB_URL and
 * REDIS_URL, or Docker, and haproxy. `-- --only tail` takes out only those rules.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findClusterServers } from '../drivers/cluster-servers.ts';
import { type FaultRow, loadFaultRows, tableFolderVariable } from '../faults/fault-table.ts';
import { clusterRules } from '../mutations/cluster-rules.ts';
import { makeMutantTree } from '../mutations/mutant-tree.ts';
import { runVitest } from './run-vitest.ts';

const projects = ['scenarios', 'scenarios-alone', 'conformance-cluster'];
/** A test in a file, not the file as a whole. */
const failedTest = /^FAILED \S+ > /;

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
    const variables = { ...environment, [tableFolderVariable]: folder };
    const { failures, skipped } = await runVitest(projects, variables, [file], { root: tree.path, isShown: false });
    const failed = failures.filter((failure) => failedTest.test(failure));
    // What could not even begin has noticed nothing.
    if (failed.length < failures.length || skipped > 0) throw new Error(`${file} was not run: ${failures.join('; ')}`);
    const violations = (await loadFaultRows(folder)).flatMap(violationsOf);
    return violations.length > 0 ? violations : failed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function violationsOf({ fault, violations }: FaultRow): string[] {
  const counts = Object.entries(violations).filter(([, count]) => count > 0);
  return counts.length === 0 ? [] : [`${fault}: ${counts.map(([checker, count]) => `${checker} ${count}`).join(', ')}`];
}
