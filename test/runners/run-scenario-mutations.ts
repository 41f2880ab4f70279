/**
 * `npm run scenarios:mutations`: removes one rule of the data path at a time from a copy of the code and runs the test
 * that must notice, on real servers. It prints the first fault with violations of each checker, or the first failed
 * test, and how many more there are. It needs haproxy, and MONGODB_URL and REDIS_URL or Docker. `-- --only tail`
 * removes only the rules whose name contains "tail".
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { type FaultRow, loadFaultRows, tableFolderVariable } from '../faults/fault-table.ts';
import { makeMutantTree } from '../mutations/mutant-tree.ts';
import { type StoreMutation, storeRules } from '../mutations/store-rules.ts';
import { runVitest } from './run-vitest.ts';

const embeddedProjects = ['conformance-embedded'];
const clusterProjects = ['scenarios', 'scenarios-alone', 'conformance-cluster'];
/** Matches the failure of one test, not of a whole file. */
const failedTestPattern = /^FAILED \S+ > /;

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const selectedRules = storeRules.filter(({ rule }) => rule.includes(values.only ?? ''));
const servers = await findClusterServers();
if (servers === null) throw new Error('the scenarios need MONGODB_URL and REDIS_URL, or Docker');
const { environment } = servers;

const tree = await makeMutantTree(['packages', 'apps', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']);
let missedCount = 0;
try {
  for (const mutation of selectedRules) {
    const restore = await tree.mutate(mutation);
    const findings = await runInMutant(mutation);
    await restore();
    if (findings.length === 0) missedCount += 1;
    console.log(`| ${mutation.rule} | ${summarize(findings)} |`);
  }
} finally {
  await tree.dispose();
  await servers.stop();
}
console.log(`\nrules: ${selectedRules.length - missedCount} found, ${missedCount} not found`);
process.exitCode = missedCount === 0 ? 0 : 1;

/** Runs a test file in the copy. Returns the violations that its checkers found, or else its failed tests. */
async function runInMutant({ file: mutatedFile, noticedBy: file }: StoreMutation): Promise<string[]> {
  const projects = mutatedFile.startsWith('packages/embedded/') ? embeddedProjects : clusterProjects;
  const folder = await mkdtemp(join(tmpdir(), 'widget-faults-'));
  try {
    const variables = { ...environment, [tableFolderVariable]: folder };
    const { failures, skipped } = await runVitest(projects, variables, [file], { root: tree.path, showsOutput: false });
    const failed = failures.filter((failure) => failedTestPattern.test(failure));
    // A file that fails to load, or is skipped, did not notice the missing rule.
    if (failed.length < failures.length || skipped > 0) throw new Error(`${file} did not run: ${failures.join('; ')}`);
    const violations = (await loadFaultRows(folder)).flatMap(describeViolations);
    return violations.length > 0 ? violations : failed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Prints only the first finding: a removed rule breaks many tests. */
function summarize([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'NOT FOUND';
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

function describeViolations({ fault, violations }: FaultRow): string[] {
  const counts = Object.entries(violations).filter(([, count]) => count > 0);
  return counts.length === 0 ? [] : [`${fault}: ${counts.map(([checker, count]) => `${checker} ${count}`).join(', ')}`];
}
