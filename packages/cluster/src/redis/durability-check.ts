import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import { translateRedisError } from './redis-call.ts';
import { isForbidden, parseInfoField, parseMaxMemoryBytes } from './redis-info.ts';
import type { OnWarning, RedisSetting } from './targets.ts';

const dataLost = { REDIS_URL: 'acknowledged hooks', EVENTS_REDIS_URL: 'published events' } as const;

/**
 * `INFO` does not show both an append-only file and the policy `noeviction`, or is forbidden. This Redis may lose its
 * data, or hides its settings. Retrying does not help.
 */
export class RedisDurabilityError extends ExitError {
  constructor(problems: readonly string[], setting: RedisSetting) {
    super(
      exitCodes.configuration,
      `${setting}: Redis may lose ${dataLost[setting]}: ${problems.join('; ')}. Set "appendonly yes" and "maxmemory-policy ` +
        'noeviction", and allow INFO. If Redis has these settings and hides them, set REDIS_DURABILITY_CHECK=warn.',
    );
  }
}

const warningsWithoutLimit = {
  REDIS_URL: 'redis has no maxmemory, so only HOOK_BACKLOG_MAX bounds the waiting hooks; set maxmemory',
  EVENTS_REDIS_URL:
    'the redis of EVENTS_REDIS_URL has no maxmemory, so only EVENT_RETENTION_BYTES bounds the event log; set maxmemory',
} as const;

/**
 * Throws `RedisDurabilityError` unless `INFO` shows both an append-only file and the policy `noeviction`, also if Redis
 * forbids `INFO`, and `UnavailableError` if Redis does not answer. Only warns about a Redis without `maxmemory`: there,
 * only settings of the service bound its memory.
 */
export async function checkDurability(
  redis: Pick<Redis, 'info'>,
  onWarning: OnWarning,
  setting: RedisSetting = 'REDIS_URL',
): Promise<void> {
  // INFO rather than CONFIG GET: a managed Redis often forbids CONFIG.
  const info = await redis.info().catch((error: unknown) => {
    if (isForbidden(error)) throw new RedisDurabilityError([`INFO is forbidden (${error.message})`], setting);
    throw translateRedisError(error, 'redis durability check');
  });
  const problems = findDurabilityProblems(info);
  if (problems.length > 0) throw new RedisDurabilityError(problems, setting);
  if (parseMaxMemoryBytes(info) === 0) onWarning(warningsWithoutLimit[setting]);
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
