import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** A Lua script. Redis runs it atomically. */
export interface Script {
  readonly lua: string;
  /** The SHA-1 of the text: `EVALSHA` names a cached script by it. */
  readonly sha: string;
}

/** Reads `scripts/<name>.lua`, and prepends the file of functions that it calls. */
export function loadScript(name: string, functions?: 'log-functions'): Script {
  const files = functions === undefined ? [name] : [functions, name];
  const lua = files.map((file) => readFileSync(new URL(`./scripts/${file}.lua`, import.meta.url), 'utf8')).join('\n');
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** Runs a script by its hash. Sends the text only to a Redis that has not cached it (new, restarted, flushed). */
export async function runScript(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  // Passed as one array: spreading the arguments of a large batch into a call would overflow the stack.
  const rest = [keys.length, ...keys, ...args];
  try {
    return await redis.call('EVALSHA', [script.sha, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await redis.call('EVAL', [script.lua, ...rest]);
  }
}
