import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeError, ServiceError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { ChainableCommander, Redis } from 'ioredis';

/**
 * Translates any Redis error to `UnavailableError`: Redis is down, loading, full or being replaced, so a retry helps.
 * Redis accepts every value, so nothing is unstorable. Returns a `ServiceError` unchanged.
 */
export function translateRedisError(error: unknown, operation: string): ServiceError {
  if (error instanceof ServiceError) return error;
  return new UnavailableError(`${operation}: ${describeError(error)}`, error);
}

/** True for an error that only says that a connection was lost or cannot be made; false for an error reply of Redis. */
export function isConnectionError(error: Error): boolean {
  // Node's own errors carry a text as `code`. Errors that BullMQ makes from a reply carry a number.
  if ('code' in error && typeof error.code === 'string') return true;
  return error.message.startsWith('Socket timeout') || error.message.startsWith('Connection is closed');
}

/** Waits for a call to Redis and translates its failure. `operation` names the call in the error. */
export async function translateErrors<T>(work: Promise<T>, operation: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateRedisError(error, operation);
  }
}

/** Sends a pipeline, and returns its replies within 2 s. Throws the error of the first command that failed. */
export async function runPipeline(pipeline: ChainableCommander, operation: string): Promise<unknown[]> {
  const replies = await translateErrors(withDeadline(pipeline.exec(), requestDeadlineMs, operation), operation);
  return (replies ?? []).map(([error, value]) => {
    if (error !== null) throw translateRedisError(error, operation);
    return value;
  });
}

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
