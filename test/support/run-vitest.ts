import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the given vitest projects in a process of their own, with its output shown, and counts what came of them. */
export async function runVitest(
  projects: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  extraArguments: readonly string[] = [],
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
    );
    return await count(outputFile, exitCode);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const vitest = join(root, 'node_modules/.bin/vitest');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environment },
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** A run that ended badly without a failed test (a file that does not load, an unhandled error) counts as one failure. */
async function count(outputFile: string, exitCode: number): Promise<SuiteResult> {
  const text = await readFile(outputFile, 'utf8').catch(() => '{}');
  const results = JSON.parse(text) as Partial<Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests', number>>;
  const failed = results.numFailedTests ?? 0;
  return {
    passed: results.numPassedTests ?? 0,
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped: results.numPendingTests ?? 0,
  };
}
