import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { ReplyError } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { checkDurability, findDurabilityProblems } from './first-contact.ts';

describe('findDurabilityProblems', () => {
  test('returns nothing for a Redis with an append-only file and without eviction', () => {
    expect(findDurabilityProblems('# Memory\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n')).toEqual([]);
  });

  test('names each wrong setting', () => {
    expect(findDurabilityProblems('maxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n')).toEqual([
      'the append-only file is off',
      'maxmemory-policy is allkeys-lru, not noeviction',
    ]);
  });

  test('reports both settings of a Redis whose INFO lacks them', () => {
    expect(findDurabilityProblems('redis_version:7.0.15\r\n')).toEqual([
      'INFO does not say whether the append-only file is on',
      'maxmemory-policy is missing from INFO, not noeviction',
    ]);
  });
});

describe('checkDurability', () => {
  const durable = 'maxmemory_policy:noeviction\r\naof_enabled:1\r\n';
  async function collectWarnings(info: string): Promise<string[]> {
    const warnings: string[] = [];
    await checkDurability({ info: async () => info }, (message) => warnings.push(message));
    return warnings;
  }

  test('warns about a Redis without maxmemory, and accepts it', async () => {
    expect(await collectWarnings(`${durable}maxmemory:0\r\n`)).toEqual([expect.stringContaining('maxmemory')]);
  });

  test('names the setting of the Redis that may lose data, and what it may lose', async () => {
    const volatile = { info: async () => 'maxmemory_policy:noeviction\r\naof_enabled:0\r\n' };
    const ignore = () => undefined;
    await expect(checkDurability(volatile, ignore)).rejects.toThrow(/^REDIS_URL: Redis may lose acknowledged hooks: /);
    await expect(checkDurability(volatile, ignore, 'EVENTS_REDIS_URL')).rejects.toThrow(
      /^EVENTS_REDIS_URL: Redis may lose published events: /,
    );
  });

  test('fails if Redis forbids INFO: nothing is known then', async () => {
    for (const message of [
      "NOPERM this user has no permissions to run the 'info' command",
      "ERR unknown command 'INFO'",
    ]) {
      const forbidding = { info: () => Promise.reject(new ReplyError(message)) };
      await expect(checkDurability(forbidding, () => undefined)).rejects.toThrow(
        `REDIS_URL: Redis may lose acknowledged hooks: INFO is forbidden (${message})`,
      );
    }
  });

  test('does not judge a Redis that answers later', async () => {
    const loading = { info: () => Promise.reject(new ReplyError('LOADING Redis is loading the dataset in memory')) };
    await expect(checkDurability(loading, () => undefined)).rejects.toThrow(UnavailableError);
  });

  test('does not warn when maxmemory is set or missing from INFO', async () => {
    expect(await collectWarnings(`${durable}maxmemory:1000\r\n`)).toEqual([]);
    expect(await collectWarnings(durable)).toEqual([]);
  });
});
