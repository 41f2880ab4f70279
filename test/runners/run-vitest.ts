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
  /** One line per failure, `FAILED file > test: reason`: the output of thousands of tests hides a failure. */
  readonly failures: readonly string[];
}

export interface VitestOptions {
  /** The repository whose tests run. Default: this one. */
  readonly root?: string;
  /** False hides the output of vitest. Default: true. */
  readonly showsOutput?: boolean;
}

const ownRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the given vitest projects in a child process and counts the results. */
export async function runVitest(
  projects: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  extraArguments: readonly string[] = [],
  { root = ownRoot, showsOutput = true }: VitestOptions = {},
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
      { root, showsOutput },
    );
    return await loadResult(outputFile, exitCode, root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { root, showsOutput }: Required<VitestOptions>,
): Promise<number> {
  const output = showsOutput ? 'inherit' : 'ignore';
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

/** The fields used here of the report that `--reporter=json` writes. Its format is that of Jest. */
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
 * Counts a run as one failure when vitest failed without a failed test (a file that does not load, an unhandled error),
 * or when it ran no test at all.
 */
async function loadResult(outputFile: string, exitCode: number, root: string): Promise<SuiteResult> {
  const text = await readFile(outputFile, 'utf8').catch(() => '{}');
  const report = JSON.parse(text) as Report;
  const failed = report.numFailedTests ?? 0;
  const passed = report.numPassedTests ?? 0;
  const hasRunFailed = exitCode !== 0 || passed + failed === 0;
  const failures = (report.testResults ?? []).flatMap((file) => listFailures(file, root));
  if (hasRunFailed && failures.length === 0) failures.push('FAILED outside of every test: see the output above');
  return {
    passed,
    failed: hasRunFailed && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests ?? 0,
    failures,
  };
}

function listFailures({ name, message, status, assertionResults }: FileReport, root: string): string[] {
  const file = relative(root, name);
  const formatFailure = (subject: string, reason: string) => `FAILED ${subject}: ${formatOnOneLine(reason)}`;
  const tests = assertionResults.filter((result) => result.status === 'failed');
  // A failed file without a failed test did not load, or a hook such as beforeAll failed.
  if (tests.length === 0) return status === 'failed' ? [formatFailure(file, message)] : [];
  return tests.map(({ fullName, failureMessages }) =>
    formatFailure(`${file} > ${fullName}`, failureMessages.join(' ')),
  );
}

/** Removes colours and stack traces: the line must read well in every terminal and log. */
function formatOnOneLine(text: string): string {
  const message = stripVTControlCharacters(text).replaceAll(/\n +at .*/g, '');
  return message.replaceAll(/\s+/g, ' ').trim().slice(0, reasonMaxLength);
}
