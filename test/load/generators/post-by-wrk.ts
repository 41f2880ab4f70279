import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface PostHooksOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The hooks update these widgets in turn. */
  readonly widgetIds: readonly string[];
  /** Limits all connections together. Default: no limit. */
  readonly hooksPerSecond?: number;
}

export interface PostHooksResult {
  readonly generator: 'wrk' | 'autocannon';
  readonly accepted: number;
  readonly refused: number;
  /** Connection errors and time-outs. */
  readonly failed: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
}

const script = fileURLToPath(new URL('post-hooks.lua', import.meta.url));

/** Whether wrk is installed. It leaves more of the processor to the server than a generator in Node. */
export function hasWrk(): boolean {
  try {
    execFileSync('which', ['wrk'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What post-hooks.lua prints. `answered` counts the refused ones, too. */
type WrkResult = Omit<PostHooksResult, 'generator' | 'accepted'> & { readonly answered: number };

/** Posts hooks by wrk, in one thread. `firstNumber` is the number of the first one. */
export async function postByWrk(
  { url, connections, seconds, widgetIds }: Omit<PostHooksOptions, 'hooksPerSecond'>,
  firstNumber: number,
): Promise<PostHooksResult> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-wrk-'));
  try {
    const idFile = join(folder, 'widget-ids');
    writeFileSync(idFile, widgetIds.join('\n'));
    const load = ['--threads', '1', '--connections', `${connections}`, '--duration', `${Math.ceil(seconds)}s`];
    const { stdout } = await promisify(execFile)('wrk', [...load, '--script', script, url, `${firstNumber}`, idFile]);
    const { answered, ...result } = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as WrkResult;
    return { generator: 'wrk', accepted: answered - result.refused, ...result };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
