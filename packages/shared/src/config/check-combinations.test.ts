import { describe, expect, test } from 'vitest';
import { findTlsWarning } from './check-combinations.ts';
import { parseSettings, type SettingsError } from './parse-settings.ts';

const complete = {
  PUBLIC_BASE_URL: 'https://widgets.example.com/base/',
  OIDC_ISSUER_URL: 'https://id.example.com/realms/main/',
  OIDC_CLIENT_ID: 'widget-service',
  OIDC_CLIENT_SECRET: 'a secret of the provider',
  OIDC_ROLE_MAPPING: 'staff=viewer, CN=owners=admin',
};
const parse = (environment: Record<string, string>, app: 'api' | 'worker' = 'api') =>
  parseSettings(environment, { app }).settings;
const collectMistakes = (environment: Record<string, string>) => {
  try {
    parse(environment);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 78 });
    return (error as SettingsError).lines;
  }
};

describe('settings of the identity provider', () => {
  test('are read; the issuer keeps its slash', () => {
    expect(parse(complete)).toMatchObject({
      OIDC_ISSUER_URL: 'https://id.example.com/realms/main/',
      OIDC_CLIENT_ID: 'widget-service',
      OIDC_CLIENT_SECRET: 'a secret of the provider',
      OIDC_SCOPES: 'openid email profile',
      OIDC_ROLE_CLAIM: 'roles',
      OIDC_ROLE_MAPPING: new Map([
        ['staff', 'viewer'],
        ['CN=owners', 'admin'],
      ]),
      PUBLIC_BASE_URL: 'https://widgets.example.com/base',
    });
  });

  test.each(['PUBLIC_BASE_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_MAPPING'])('need %s', (name) => {
    expect(collectMistakes({ ...complete, [name]: '' })).toEqual([`${name}: not set; OIDC_ISSUER_URL needs it`]);
  });

  test('need the issuer', () => {
    expect(collectMistakes({ ...complete, OIDC_ISSUER_URL: '' })).toEqual([
      expect.stringMatching(/^OIDC_CLIENT_ID: set without OIDC_ISSUER_URL/),
      expect.stringMatching(/^OIDC_CLIENT_SECRET: set without/),
      expect.stringMatching(/^OIDC_ROLE_MAPPING: set without/),
    ]);
  });

  test.each(['http://127.0.0.1:3000', 'http://[::1]:3000/', 'http://localhost'])('accept http for %s', (issuer) => {
    expect(parse({ ...complete, OIDC_ISSUER_URL: issuer }).OIDC_ISSUER_URL).toBe(issuer);
  });
});

describe('PASSWORD_SIGN_IN_ENABLED=false', () => {
  test('needs an identity provider: otherwise nobody could sign in', () => {
    expect(collectMistakes({ PASSWORD_SIGN_IN_ENABLED: 'false' })).toEqual([
      expect.stringMatching(/^PASSWORD_SIGN_IN_ENABLED: .*nobody could sign in/),
    ]);
    expect(collectMistakes({ ...complete, PASSWORD_SIGN_IN_ENABLED: 'false' })).toEqual([]);
  });

  test('needs a value that gives the role admin: otherwise nobody could manage the service', () => {
    const given = { ...complete, OIDC_ROLE_MAPPING: 'staff=viewer,makers=editor' };
    expect(collectMistakes({ ...given, PASSWORD_SIGN_IN_ENABLED: 'false' })).toEqual([
      expect.stringMatching(/^OIDC_ROLE_MAPPING: .*nobody could manage/),
    ]);
    expect(collectMistakes(given)).toEqual([]);
  });

  test('does not concern a worker', () => {
    const stores = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/' };
    expect(parse({ ...stores, PASSWORD_SIGN_IN_ENABLED: 'false' }, 'worker').PASSWORD_SIGN_IN_ENABLED).toBe(false);
  });
});

const stores = { MONGODB_URL: 'mongodb://m/', REDIS_URL: 'rediss://user:secret@widgets/2' };
const sentinels = { REDIS_SENTINELS: 'rediss://ops:secret@one,two:26380,[::1]:26381' };
const parseWithStores = (given: Readonly<Record<string, string>>) =>
  parseSettings({ ...stores, ...given }, { app: 'worker' });

describe('the settings of Redis Sentinel and Redis Cluster', () => {
  test('do not concern a process that uses MongoDB only: it shares the variables, but not the secrets', () => {
    const { MONGODB_URL } = stores;
    const given = { MONGODB_URL, REDIS_SENTINELS_FILE: '/not/mounted', EVENTS_READ_REDIS: 'replicas' };
    expect(() => parseSettings(given, { app: 'migration' })).not.toThrow();
  });

  test.each([
    [
      { ...sentinels, REDIS_URL: 'rediss://widgets:6379' },
      'REDIS_URL: has a port; with REDIS_SENTINELS, its host is the name by which they know the Redis',
    ],
    [
      { ...sentinels, EVENTS_REDIS_URL: 'redis://events:6379', EVENTS_READ_REDIS: 'replicas' },
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    ],
    [
      { EVENTS_READ_REDIS: 'replicas' },
      'EVENTS_READ_REDIS: replicas needs Sentinels or a Redis Cluster for the event log; allowed: host:port of replicas',
    ],
    [
      { ...sentinels, REDIS_URL: 'rediss://r1:6379,r2' },
      'REDIS_URL, REDIS_SENTINELS: a Redis Cluster (several hosts) has no Sentinels; allowed: one host',
    ],
    [
      { REDIS_SENTINELS: 'rediss://one:26379,two/2', REDIS_URL: 'rediss://widgets' },
      'REDIS_SENTINELS: names a database, which Sentinels do not have; REDIS_URL names it',
    ],
    [
      { REDIS_SENTINELS: 'redis://one' },
      'REDIS_URL, REDIS_SENTINELS: only one of them begins with rediss:; allowed: both, or none',
    ],
  ])('%j is refused with 78, and the message names what is wrong', (given, line) => {
    expect(() => parseWithStores(given)).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
  });

  test('need REDIS_URL, and say so where it is missing', () => {
    expect(collectMistakes({ REDIS_SENTINELS: 'redis://one', EVENTS_READ_REDIS: 'replicas' })).toEqual([
      'REDIS_SENTINELS: needs REDIS_URL, which is not set',
      'EVENTS_READ_REDIS: needs REDIS_URL, which is not set',
    ]);
  });

  test('give the addresses of replicas, with the usual port where none is given', () => {
    const { EVENTS_READ_REDIS } = parseWithStores({ EVENTS_READ_REDIS: 'r1,[::1]:7000' }).settings;
    expect(EVENTS_READ_REDIS).toMatchObject([{ port: 6_379 }, { host: '::1', port: 7_000 }]);
  });
});

test('an event log that is smaller than one event is refused with 78 and the names of both settings', () => {
  const given = { EVENT_RETENTION_BYTES: '1048576', BODY_LIMIT_BYTES: '1048576' };
  const line = expect.stringMatching(/^EVENT_RETENTION_BYTES, BODY_LIMIT_BYTES: /);
  const parse = () => parseSettings(given, { app: 'api' });
  expect(parse).toThrow(expect.objectContaining({ exitCode: 78, lines: [line] }));
});

test('says which option of MongoDB undoes its TLS, and never the password', () => {
  const warningOf = (options: string) => {
    const stores = { MONGODB_URL: `mongodb://user:secret@db/?tls=true${options}`, REDIS_URL: 'rediss://queue/' };
    return findTlsWarning(parseSettings(stores, { app: 'api' }).settings);
  };
  expect(warningOf('')).toBeNull();
  for (const option of ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames']) {
    expect(warningOf(`&${option}=true`)).toMatch(new RegExp(`^MONGODB_URL has ${option}: (?!.*secret)`));
  }
});
