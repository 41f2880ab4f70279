import { describe, expect, test } from 'vitest';
import { toClusterOptions } from './component-options.ts';
import { parseSettings } from './parse-settings.ts';

const stores = { MONGODB_URL: 'mongodb://m/', REDIS_URL: 'rediss://user:secret@widgets/2' };
const sentinels = { REDIS_SENTINELS: 'one,two:26380, [::1]:26381', REDIS_SENTINEL_NAME: 'widgets' };
const parse = (given: Readonly<Record<string, string>>) => parseSettings({ ...stores, ...given }, { app: 'worker' });

describe('the settings of Redis Sentinel', () => {
  test('give the addresses with the usual port where none is given, and the names and credentials', () => {
    const access = {
      REDIS_SENTINEL_USERNAME: 'ops',
      REDIS_SENTINEL_PASSWORD: 'other secret',
    };
    expect(toClusterOptions(parse({ ...sentinels, ...access })).sentinels).toEqual({
      addresses: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 26_380 },
        { host: '::1', port: 26_381 },
      ],
      queueName: 'widgets',
      eventsName: null,
      username: 'ops',
      password: 'other secret',
      hasTls: true,
    });
  });

  test('of a Redis Cluster give the nodes with the usual port where none is given', () => {
    const events = { EVENTS_REDIS_URL: 'redis://events', EVENTS_REDIS_CLUSTER_NODES: 'r3:7000' };
    expect(toClusterOptions(parse({ REDIS_CLUSTER_NODES: 'r1,r2', ...events })).clusterNodes).toEqual({
      queue: [
        { host: 'r1', port: 6379 },
        { host: 'r2', port: 6379 },
      ],
      events: [{ host: 'r3', port: 7000 }],
    });
  });

  test('reach the Sentinels by TLS only if Redis is reached by TLS', () => {
    const plain = { ...sentinels, REDIS_URL: 'redis://queue/' };
    expect(toClusterOptions(parse(plain)).sentinels?.hasTls).toBe(false);
  });

  test('are left out together', () => {
    expect(toClusterOptions(parse({})).sentinels).toBeNull();
  });

  test('do not concern a process that uses MongoDB only: it shares the variables, but not the secrets', () => {
    const variables = { ...sentinels, REDIS_SENTINEL_USERNAME: 'ops', REDIS_SENTINEL_PASSWORD_FILE: '/not/mounted' };
    const given = { MONGODB_URL: stores.MONGODB_URL, ...variables };
    expect(() => parseSettings(given, { app: 'worker', usesOnlyMongodb: true })).not.toThrow();
  });

  test.each([
    [{ REDIS_SENTINELS: 'one' }, 'REDIS_SENTINELS: needs REDIS_SENTINEL_NAME, which is not set'],
    [{ REDIS_SENTINEL_NAME: 'widgets' }, 'REDIS_SENTINEL_NAME: needs REDIS_SENTINELS, which is not set'],
    [
      { ...sentinels, EVENTS_REDIS_SENTINEL_NAME: 'events' },
      'EVENTS_REDIS_SENTINEL_NAME: needs EVENTS_REDIS_URL, which is not set',
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
    [
      {
        ...sentinels,
        EVENTS_REDIS_URL: 'redis://events',
        EVENTS_REDIS_SENTINEL_NAME: 'events',
        EVENTS_REDIS_CLUSTER_NODES: 'r1',
      },
      'EVENTS_REDIS_CLUSTER_NODES, EVENTS_REDIS_SENTINEL_NAME: a Redis Cluster has no Sentinels; allowed: one of them',
    ],
  ])('%j alone is refused with 78, and the message names what is missing', (given, line) => {
    expect(() => parse(given)).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
  });
});
