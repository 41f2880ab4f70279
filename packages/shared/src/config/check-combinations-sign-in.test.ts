import { describe, expect, test } from 'vitest';
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
  test('are all absent by default, and passwords are allowed', () => {
    const settings = parse({});
    expect(settings.OIDC_ISSUER_URL).toBeNull();
    expect(settings.PASSWORD_SIGN_IN_ENABLED).toBe(true);
  });

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
