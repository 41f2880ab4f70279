import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface PostedHooks {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The hooks update these widgets in turn. */
  readonly widgetIds: readonly string[];
}

/** What post-hooks.lua prints. */
interface Printed {
  /** Counts the refused ones, too. */
  readonly answered: number;
  readonly refused: number;
  /** Connection errors and time-outs. */
  readonly failed: number;
  readonly seconds: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
}

const script = fileURLToPath(new URL('post-hooks.lua', import.meta.url));
let nextNumber = 0;

/**
 * Posts hooks over keep-alive connections, one at a time on each, as fast as they are answered. No two hooks have the
 * same content. It is wrk, which leaves more of the processor to the server than a generator in Node.
 */
export async function postHooks({ url, connections, seconds, widgetIds }: PostedHooks) {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-wrk-'));
  try {
    const idFile = join(folder, 'widget-ids');
    writeFileSync(idFile, widgetIds.join('\n'));
    const load = ['--threads', '1', '--connections', `${connections}`, '--duration', `${Math.ceil(seconds)}s`];
    const { stdout } = await promisify(execFile)('wrk', [...load, '--script', script, url, `${nextNumber}`, idFile]);
    const { answered, ...result } = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as Printed;
    // Those that were sent last may have no answer.
    nextNumber += answered + result.failed + connections;
    return { accepted: answered - result.refused, ...result };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
