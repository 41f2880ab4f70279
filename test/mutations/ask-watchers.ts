import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FaultRow, loadFaultRows, tableFolderVariable } from '../faults/fault-table.ts';
import { explore } from '../model/publishing-protocol.ts';
import { runVitest } from '../runners/run-vitest.ts';
import type { ModelMutation, StoreMutation } from './mutation.ts';

const embeddedProjects = ['conformance-embedded'];
const clusterProjects = ['scenarios', 'scenarios-alone', 'conformance-cluster'];
/** Matches the failure of one test, not of a whole file. */
const failedTestPattern = /^FAILED \S+ > /;
/** A test that noticed says what it expected, in an error of vitest or of Node. Other errors may be the machine's. */
const failedAssertionPattern = /: (?:AssertionError(?: \[ERR_ASSERTION\])?: |Error: promise (?:resolved|rejected) )/;

/** Returns the broken promise, if the model finds one without the rules. */
export function askModel({ world, without }: ModelMutation): string[] {
  const { violation } = explore(world, without);
  return violation === null ? [] : [`model: ${violation}`];
}

/** Runs the simulation of the copy at `root`. Returns the first failing seed and its violation. */
export function askSimulation(root: string, seeds: string): string[] {
  const script = join(root, 'test/simulation/run-simulation.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--brief', '--seeds', seeds], {
    encoding: 'utf8',
  });
  if (status === 0) return [];
  const lastLine = stdout.trim().split('\n').at(-1) ?? '';
  if (!lastLine.startsWith('{')) throw new Error(`The simulation did not run: ${stderr}`);
  const { seed, violations } = JSON.parse(lastLine) as { seed: number; violations: string[] };
  if (violations[0]?.startsWith('the simulation failed')) throw new Error(`seed ${seed}: ${violations[0]}`);
  return [`seed ${seed}: ${violations[0]}`];
}

/**
 * Runs the test of the rule in the copy at `root`. Returns the violations that its checkers found, then its failed
 * assertions. Throws an `Error` if the test did not run, or failed in another way.
 */
export async function askServers(
  root: string,
  { file: mutatedFile, noticedBy: file }: StoreMutation,
  environment: Readonly<Record<string, string>>,
): Promise<string[]> {
  const projects = mutatedFile.startsWith('packages/embedded/') ? embeddedProjects : clusterProjects;
  const folder = await mkdtemp(join(tmpdir(), 'widget-faults-'));
  try {
    const variables = { ...environment, [tableFolderVariable]: folder };
    const { failures, skipped } = await runVitest(projects, variables, [file], { root, showsOutput: false });
    const failed = failures.filter((failure) => failedTestPattern.test(failure));
    // A file that fails to load, or is skipped, did not notice the missing rule.
    if (failed.length < failures.length || skipped > 0) throw new Error(`${file} did not run: ${failures.join('; ')}`);
    const violations = (await loadFaultRows(folder)).flatMap(describeViolations);
    const noticed = [...violations, ...failed.filter((failure) => failedAssertionPattern.test(failure))];
    if (noticed.length === 0 && failed.length > 0)
      throw new Error(`${file} failed, but not by an assertion: ${failed[0]}`);
    return noticed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function describeViolations({ fault, violations }: FaultRow): string[] {
  const counts = Object.entries(violations).filter(([, count]) => count > 0);
  return counts.length === 0 ? [] : [`${fault}: ${counts.map(([checker, count]) => `${checker} ${count}`).join(', ')}`];
}
