import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ToolResult {
  readonly exitCode: number;
  /** Standard output and standard error. */
  readonly output: string;
}

/** The programs of the Debian package `prometheus`, from the path or from PROMETHEUS_BIN and PROMTOOL_BIN. */
const programs = {
  prometheus: process.env.PROMETHEUS_BIN || 'prometheus',
  promtool: process.env.PROMTOOL_BIN || 'promtool',
} as const;

/** Returns how to call the program, or null if this machine does not have it. The message says what to install. */
export function findPrometheusTool(name: keyof typeof programs): string | null {
  const program = programs[name];
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0) return program;
  console.log(`SKIPPED: tests that need ${name}. Install the package prometheus, or set ${name.toUpperCase()}_BIN.`);
  return null;
}

/**
 * Runs promtool. `files` are written into a new folder, in which it runs. `input` is its standard input.
 */
export function runPromtool(
  program: string,
  args: readonly string[],
  { files = {}, input = '' }: { readonly files?: Readonly<Record<string, string>>; readonly input?: string } = {},
): ToolResult {
  const cwd = mkdtempSync(join(tmpdir(), 'widget-promtool-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const options = { cwd, input, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 } as const;
    const { status, stdout, stderr, error } = spawnSync(program, args, options);
    if (error !== undefined) throw error;
    return { exitCode: status ?? 1, output: `${stdout}${stderr}` };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
