import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import type { OnWarning } from './connections.ts';
import { parseInfoField, parseMaxMemoryBytes } from './redis-info.ts';
import { translateErrors } from './translate-error.ts';

/**
 * `INFO` does not show both an append-only file and the policy `noeviction`. This Redis may lose acknowledged hooks, or
 * hides its settings. Retrying does not help.
 */
export class RedisDurabilityError extends ExitError {
  constructor(problems: readonly string[]) {
    super(
      exitCodes.configuration,
      `Redis may lose acknowledged hooks: ${problems.join('; ')}. Set "appendonly yes" and "maxmemory-policy ` +
        'noeviction". If Redis has these settings and INFO only hides them, set REDIS_DURABILITY_CHECK=warn.',
    );
  }
}

/**
 * Throws `RedisDurabilityError` unless `INFO` shows both an append-only file and the policy `noeviction`, and
 * `UnavailableError` if Redis does not answer. Only warns about a Redis without `maxmemory`: there, `HOOK_BACKLOG_MAX`
 * alone bounds the queue.
 */
export async function checkDurability(redis: Pick<Redis, 'info'>, onWarning: OnWarning): Promise<void> {
  // INFO rather than CONFIG GET: a managed Redis often forbids CONFIG.
  const info = await translateErrors(redis.info(), 'redis durability check');
  const problems = findDurabilityProblems(info);
  if (problems.length > 0) throw new RedisDurabilityError(problems);
  if (parseMaxMemoryBytes(info) === 0) {
    onWarning('redis has no maxmemory, so only HOOK_BACKLOG_MAX bounds the waiting hooks; set maxmemory');
  }
}

/**
 * Returns what is wrong with the append-only file and the eviction policy, from the text of `INFO`. It does not check
 * `appendfsync`, which INFO does not contain.
 */
export function findDurabilityProblems(info: string): string[] {
  const problems: string[] = [];
  const appendOnly = parseInfoField(info, 'aof_enabled');
  const policy = parseInfoField(info, 'maxmemory_policy');
  if (appendOnly === '0') problems.push('the append-only file is off');
  else if (appendOnly !== '1') problems.push('INFO does not say whether the append-only file is on');
  if (policy !== 'noeviction') problems.push(`maxmemory-policy is ${policy ?? 'missing from INFO'}, not noeviction`);
  return problems;
}
