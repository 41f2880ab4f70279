import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, a line each: `FAILED file > test: why`. Output of thousands of tests hides it otherwise. */
  readonly failures: readonly string[];
}

export interface VitestOptions {
  /** The project whose tests are run; this one by default. */
  readonly root?: string;
  /** False: nothing of its output is shown. */
  readonly isShown?: boolean;
}

const ownRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the given vitest projects in a process of their own, and counts what came of them. */
export async function runVitest(
  projects: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  extraArguments: readonly string[] = [],
  { root = ownRoot, isShown = true }: VitestOptions = {},
): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-tests-'));
  const outputFile = join(folder, 'results.json');
  try {
    const exitCode = await run(
      [
        'run',
        ...projects.flatMap((name) => ['--project', name]),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${outputFile}`,
        ...extraArguments,
      ],
      environment,
      { root, isShown },
    );
    return await count(outputFile, exitCode, root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { root, isShown }: Required<VitestOptions>,
): Promise<number> {
  const output = isShown ? 'inherit' : 'ignore';
  const vitest = join(root, 'node_modules/.bin/vitest');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: root,
      stdio: ['ignore', output, output],
      env: { ...process.env, ...environment },
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** What this reads of the report that `--reporter=json` writes, in the form that Jest's has. */
interface Report {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numPendingTests?: number;
  readonly testResults?: readonly FileReport[];
}
interface FileReport {
  readonly name: string;
  readonly message: string;
  readonly status: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

const reasonMaxLength = 600;

/**
 * A run that ended badly without a failed test (a file that does not load, an unhandled error), or without any test at
 * all, counts as one failure.
 */
async function count(outputFile: string, exitCode: number, root: string): Promise<SuiteResult> {
  const text = await readFile(outputFile, 'utf8').catch(() => '{}');
  const report = JSON.parse(text) as Report;
  const failed = report.numFailedTests ?? 0;
  const passed = report.numPassedTests ?? 0;
  const isBad = exitCode !== 0 || passed + failed === 0;
  const failures = (report.testResults ?? []).flatMap((file) => failuresOf(file, root));
  if (isBad && failures.length === 0) failures.push('FAILED outside of all tests: see what is printed above');
  return {
    passed,
    failed: isBad && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests ?? 0,
    failures,
  };
}

function failuresOf({ name, message, status, assertionResults }: FileReport, root: string): string[] {
  const file = relative(root, name);
  const line = (what: string, why: string) => `FAILED ${what}: ${inOneLine(why)}`;
  const tests = assertionResults.filter((result) => result.status === 'failed');
  // Without a failed test: it did not load, or its preparations failed.
  if (tests.length === 0) return status === 'failed' ? [line(file, message)] : [];
  return tests.map(({ fullName, failureMessages }) => line(`${file} > ${fullName}`, failureMessages.join(' ')));
}

/** Without colours and stacks, so that it reads well wherever it is printed. */
function inOneLine(text: string): string {
  const told = stripVTControlCharacters(text).replaceAll(/\n +at .*/g, '');
  return told.replaceAll(/\s+/g, ' ').trim().slice(0, reasonMaxLength);
}
