import type { RedisTarget } from './targets.ts';

type SentinelTarget = Pick<RedisTarget, 'setting' | 'sentinels'>;

/** What ioredis reports when it has asked each Sentinel in vain. It then asks them again, for ever. */
const allFailed = /^All sentinels are unreachable/;
const refusedCredentials = /\b(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH)\b/;
const unknownName = /No such master with that name|invalid reply: null/;
const noSentinel = /unknown command .?sentinel/i;

export function haveSentinelsFailed({ message }: Error): boolean {
  return allFailed.test(message);
}

/** Returns the settings that a Sentinel does not accept, from the error of ioredis. Null: it did not answer. */
export function findRefusedSetting({ message }: Error, { setting, sentinels = null }: SentinelTarget): string | null {
  if (sentinels === null) return null;
  if (refusedCredentials.test(message)) {
    return sentinels.username === null ? 'REDIS_SENTINEL_PASSWORD' : 'REDIS_SENTINEL_USERNAME, REDIS_SENTINEL_PASSWORD';
  }
  if (unknownName.test(message)) return setting === 'REDIS_URL' ? 'REDIS_SENTINEL_NAME' : 'EVENTS_REDIS_SENTINEL_NAME';
  return noSentinel.test(message) ? 'REDIS_SENTINELS' : null;
}
