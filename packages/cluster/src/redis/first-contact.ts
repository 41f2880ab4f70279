import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import { translateRedisError } from './redis-call.ts';
import type { OnWarning, RedisSetting, RedisTarget } from './redis-failover.ts';
import { isForbidden, parseInfoField, parseMaxMemoryBytes } from './redis-info.ts';

/** Redis or a Sentinel rejects a setting, such as a password. Retrying does not help. */
export class RedisRefusalError extends ExitError {
  constructor(message: string) {
    super(exitCodes.configuration, message);
  }
}

function createRefusal(setting: RedisSetting, reason: string): RedisRefusalError {
  return new RedisRefusalError(`${setting}: Redis does not accept it (${reason}); correct the URL or Redis`);
}

/** Replies to a wrong password or user, or a missing database. None of them contains the URL. */
const refusal =
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:DB index|invalid DB index|SELECT is not allowed|AUTH|This instance has cluster support))/;

/**
 * Waits at the start of a process until the connection is ready, its first attempt has failed, or `withinMs` has
 * passed. So the first requests do not fail on a connection that is about to be ready. Rejects with
 * `RedisRefusalError`.
 */
export async function waitForFirstContact(redis: Redis, target: SentinelTarget, withinMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  const stop = new AbortController();
  const refusals: RedisRefusalError[] = [];
  let sentinelRefusal: RedisRefusalError | null = null;
  const noteSentinel = (error: Error) => {
    const setting = findRefusedSetting(error, target);
    if (setting === null) return;
    const text = `${setting}: the Sentinels do not accept it (${error.message}); correct it or the Sentinels`;
    sentinelRefusal ??= new RedisRefusalError(text);
  };
  const noteRefusal = (error: Error) => {
    if (refusal.test(error.message)) refusals.push(createRefusal(target.setting, error.message));
    // One Sentinel that refuses is no failure, as long as another one knows the primary.
    if (!haveSentinelsFailed(error) || sentinelRefusal === null) return;
    refusals.push(sentinelRefusal);
    stop.abort();
  };
  redis.on('error', noteRefusal);
  redis.on('sentinelError', noteSentinel);
  await Promise.race([
    once(redis, 'ready', { signal: stop.signal }),
    once(redis, 'close', { signal: stop.signal }),
    delay(withinMs, undefined, { signal: stop.signal }),
  ]).catch(() => undefined);
  stop.abort();
  redis.off('error', noteRefusal);
  redis.off('sentinelError', noteSentinel);
  const [refused] = refusals;
  if (refused !== undefined) throw refused;
}

/**
 * Throws `RedisRefusalError` if Redis does not have the database of the URL (ioredis would use database 0), or if it is
 * a node of a Redis Cluster and the settings name only this node (it would work until the first failover). Throws other
 * errors of ioredis unchanged.
 */
export async function verifyTarget(redis: Redis, { setting, clusterConnector = null }: RedisTarget): Promise<void> {
  if (clusterConnector === null && (await isClusterNode(redis))) {
    throw createRefusal(setting, 'it is a node of a Redis Cluster; name several of its nodes, or its only one twice');
  }
  const { db = 0 } = redis.options;
  if (db === 0) return;
  await redis.select(db).catch((error: Error) => {
    throw refusal.test(error.message) ? createRefusal(setting, error.message) : error;
  });
}

async function isClusterNode(redis: Redis): Promise<boolean> {
  try {
    return parseInfoField(await redis.info('cluster'), 'cluster_enabled') === '1';
  } catch (error) {
    // `checkDurability` also needs INFO, and decides whether the start fails.
    if (isForbidden(error)) return false;
    throw error;
  }
}

type SentinelTarget = Pick<RedisTarget, 'setting' | 'sentinels'>;

/** What ioredis reports when no Sentinel could answer. It then asks all of them again, for ever. */
const allFailed = /^All sentinels are unreachable/;
/** Replies of a Sentinel that rejects the credentials, and of a server that is no Sentinel. */
const notAdmitted = /\b(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH)\b|unknown command .?sentinel/i;
const unknownName = /No such master with that name|invalid reply: null/;

export function haveSentinelsFailed({ message }: Error): boolean {
  return allFailed.test(message);
}

/** Returns the setting that a Sentinel rejects, from the error of ioredis. Null: the Sentinel did not answer. */
export function findRefusedSetting({ message }: Error, { setting, sentinels = null }: SentinelTarget): string | null {
  if (sentinels === null) return null;
  if (unknownName.test(message)) return setting;
  return notAdmitted.test(message) ? 'REDIS_SENTINELS' : null;
}

const dataLost = { REDIS_URL: 'acknowledged hooks', EVENTS_REDIS_URL: 'published events' } as const;

/**
 * This Redis may lose its data: `INFO` does not show both an append-only file and the policy `noeviction`, or is
 * forbidden. Retrying does not help.
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
 * Throws `RedisDurabilityError` unless `INFO` shows both an append-only file and the policy `noeviction`. Throws
 * `UnavailableError` if Redis does not answer. Only warns if Redis has no `maxmemory`: then only settings of the
 * service bound its memory.
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
