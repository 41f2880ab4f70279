import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import type { OnWarning } from './connections.ts';
import { infoField, maxMemoryBytes } from './redis-info.ts';
import { translateErrors } from './translate-error.ts';

/** Redis is set up in a way that would lose what was acknowledged. A matter of configuration: trying again is no use. */
export class RedisDurabilityError extends ExitError {
  constructor(problems: readonly string[]) {
    super(
      exitCodes.configuration,
      `Redis would lose acknowledged hooks: ${problems.join('; ')}. ` +
        'Set "appendonly yes" and "maxmemory-policy noeviction", or REDIS_DURABILITY_CHECK=warn if it only hides them.',
    );
  }
}

/**
 * Throws `RedisDurabilityError`, or `UnavailableError` when Redis cannot be asked. Of one whose memory nothing bounds it
 * only warns: a queue that grows is then bounded by the number of deliveries alone.
 */
export async function checkDurability(redis: Pick<Redis, 'info'>, onWarning: OnWarning): Promise<void> {
  // INFO rather than CONFIG GET: a managed Redis often forbids the latter.
  const info = await translateErrors(redis.info(), 'redis durability check');
  const problems = durabilityProblems(info);
  if (problems.length > 0) throw new RedisDurabilityError(problems);
  if (maxMemoryBytes(info) === 0) onWarning('redis has no maxmemory: only HOOK_BACKLOG_MAX bounds the hooks that wait');
}

/** What is wrong with a Redis, by the text of its INFO. */
export function durabilityProblems(info: string): string[] {
  const problems: string[] = [];
  const appendOnly = infoField(info, 'aof_enabled');
  const policy = infoField(info, 'maxmemory_policy');
  if (appendOnly !== '1') problems.push(`the append-only file is ${appendOnly === '0' ? 'off' : 'not told of'}`);
  if (policy !== 'noeviction') problems.push(`maxmemory-policy is ${policy ?? 'not told'}, not noeviction`);
  return problems;
}
