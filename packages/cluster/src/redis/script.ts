import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** A Lua script, which Redis runs as one atomic step. */
export interface Script {
  readonly lua: string;
  /** The SHA-1 by which Redis knows a script it has seen. */
  readonly sha: string;
}

/** Reads `scripts/<name>.lua`, and before it the functions of `scripts/parts/` that it calls. */
export function loadScript(name: string, parts: readonly string[] = []): Script {
  const files = [...parts.map((part) => `parts/${part}`), name];
  const lua = files.map((file) => readFileSync(new URL(`./scripts/${file}.lua`, import.meta.url), 'utf8')).join('\n');
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** Runs a script by its hash, and sends its text only to a Redis that does not know it (new, restarted, flushed). */
export async function runScript(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  // One array: a call with as many arguments as a large batch has would overflow the stack.
  const rest = [keys.length, ...keys, ...args];
  try {
    return await redis.call('EVALSHA', [script.sha, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await redis.call('EVAL', [script.lua, ...rest]);
  }
}
