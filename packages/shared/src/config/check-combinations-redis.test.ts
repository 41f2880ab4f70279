import { describe, expect, test } from 'vitest';
import { parseSettings } from './parse-settings.ts';

const stores = { MONGODB_URL: 'mongodb://m/', REDIS_URL: 'rediss://user:secret@widgets/2' };
const sentinels = { REDIS_SENTINELS: 'one,two:26380, [::1]:26381' };
const parse = (given: Readonly<Record<string, string>>) => parseSettings({ ...stores, ...given }, { app: 'worker' });

describe('the settings of Redis Sentinel and Redis Cluster', () => {
  test('give the addresses with the usual port where none is given', () => {
    expect(parse(sentinels).settings.REDIS_SENTINELS).toEqual([
      { host: 'one', port: 26_379 },
      { host: 'two', port: 26_380 },
      { host: '::1', port: 26_381 },
    ]);
    expect(parse({ REDIS_CLUSTER_NODES: 'r1,r2:7000' }).settings.REDIS_CLUSTER_NODES).toEqual([
      { host: 'r1', port: 6379 },
      { host: 'r2', port: 7000 },
    ]);
  });

  test('do not concern a process that uses MongoDB only: it shares the variables, but not the secrets', () => {
    const variables = { ...sentinels, REDIS_SENTINEL_USERNAME: 'ops', REDIS_SENTINEL_PASSWORD_FILE: '/not/mounted' };
    const given = { MONGODB_URL: stores.MONGODB_URL, ...variables };
    expect(() => parseSettings(given, { app: 'worker', usesOnlyMongodb: true })).not.toThrow();
  });

  test.each([
    [
      { ...sentinels, REDIS_URL: 'redis://widgets:6379' },
      'REDIS_URL: has a port; with REDIS_SENTINELS, its host is the name by which they know the Redis',
    ],
    [
      { ...sentinels, EVENTS_REDIS_URL: 'redis://events:6379', EVENTS_READ_REDIS: 'replicas' },
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    ],
    [
      { ...sentinels, REDIS_SENTINEL_USERNAME: 'ops' },
      'REDIS_SENTINEL_USERNAME: needs REDIS_SENTINEL_PASSWORD, which is not set',
    ],
    [{ REDIS_SENTINEL_PASSWORD: 'secret' }, 'REDIS_SENTINEL_PASSWORD: needs REDIS_SENTINELS, which is not set'],
    [{ EVENTS_REDIS_CLUSTER_NODES: 'r1:6379' }, 'EVENTS_REDIS_CLUSTER_NODES: needs EVENTS_REDIS_URL, which is not set'],
    [
      { EVENTS_READ_REDIS: 'replicas' },
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    ],
    [
      { ...sentinels, REDIS_CLUSTER_NODES: 'r1:6379' },
      'REDIS_CLUSTER_NODES, REDIS_SENTINELS: a Redis Cluster has no Sentinels; allowed: one of them',
    ],
  ])('%j alone is refused with 78, and the message names what is missing', (given, line) => {
    expect(() => parse(given)).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
  });
});
