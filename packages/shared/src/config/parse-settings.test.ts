import { describe, expect, test } from 'vitest';
import { parseSettings, type SettingsError } from './parse-settings.ts';

const api = { app: 'api' } as const;
const collectMistakes = (environment: Record<string, string>, app: 'api' | 'worker' = 'api') => {
  try {
    parseSettings(environment, { app });
    return [];
  } catch (error) {
    return (error as SettingsError).lines;
  }
};

describe('parseSettings', () => {
  test('selects the embedded backend on loopback if nothing is set', () => {
    const { settings, backend } = parseSettings({}, api);
    expect(backend).toBe('embedded');
    expect(settings).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, OPS_PORT: 8081, COOKIE_SECURE: false });
  });

  test('selects the cluster on all addresses with secure cookies if both URLs are set', () => {
    const given = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/', NODE_ENV: 'production' };
    const settings = { HOST: '::', COOKIE_SECURE: true, ADMIN_EMAIL: null };
    expect(parseSettings(given, api)).toMatchObject({ backend: 'cluster', settings });
  });

  test('a start builds the indexes of MongoDB, except in production', () => {
    const stores = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/' };
    expect(parseSettings({ ...stores, NODE_ENV: 'production' }, api).isProduction).toBe(true);
    expect(parseSettings(stores, api).isProduction).toBe(false);
  });

  test('reads the scheme of the URL of a Redis in any case', () => {
    const redis = { REDIS_URL: 'REDISS://u:P%40@Cache/0', EVENTS_REDIS_URL: 'Redis://e/' };
    expect(parseSettings({ MONGODB_URL: 'mongodb://db/', ...redis }, api).settings).toMatchObject({
      REDIS_URL: 'rediss://u:P%40@Cache/0',
      EVENTS_REDIS_URL: 'redis://e/',
    });
  });

  test('refuses a setting that there was, also as a file, and says what stands for it', () => {
    const given = { REDIS_CLUSTER_NODES: 'r1,r2', REDIS_SENTINEL_PASSWORD_FILE: '/absent', DRAIN_WINDOW_MS: '' };
    const others = ['REDIS_SENTINEL_TLS', 'EVENT_RETENTION_MS', 'OIDC_CLIENT_AUTHENTICATION'];
    for (const name of others) expect(collectMistakes({ [name]: '1' })).toEqual([expect.stringContaining(name)]);
    expect(collectMistakes(given)).toEqual([
      'REDIS_CLUSTER_NODES: is no setting any more; REDIS_URL names the nodes, redis://redis-0:6379,redis-1:6379',
      expect.stringMatching(/^REDIS_SENTINEL_PASSWORD_FILE: is no setting any more; REDIS_SENTINELS is a URL/),
    ]);
  });

  test('treats an empty variable as not set', () => {
    expect(parseSettings({ PORT: '', REDIS_URL: '' }, api).settings.PORT).toBe(8080);
  });

  test('rejects a BODY_LIMIT_BYTES above 4 MiB, because MongoDB limits the size of a document', () => {
    expect(parseSettings({ BODY_LIMIT_BYTES: '4194304' }, api).settings.BODY_LIMIT_BYTES).toBe(4_194_304);
    const mistake = expect.stringMatching(/^BODY_LIMIT_BYTES: .*4194304/);
    expect(collectMistakes({ BODY_LIMIT_BYTES: '4194305' })).toEqual([mistake]);
  });

  test('rejects one URL without the other, and a worker without both', () => {
    expect(collectMistakes({ REDIS_URL: 'redis://cache/' })).toEqual([expect.stringMatching(/^MONGODB_URL: not set/)]);
    expect(collectMistakes({ MONGODB_URL: 'mongodb://db/' })).toEqual([expect.stringMatching(/^REDIS_URL: not set/)]);
    expect(collectMistakes({}, 'worker')).toHaveLength(1);
    const needs = expect.stringMatching(/^EVENTS_REDIS_URL: needs MONGODB_URL and REDIS_URL/);
    expect(collectMistakes({ EVENTS_REDIS_URL: 'redis://events/' })).toEqual([needs]);
  });

  test('accepts MONGODB_URL alone for a process that uses only MongoDB', () => {
    const parse = (environment: Record<string, string>) => parseSettings(environment, { app: 'migration' });
    expect(parse({ MONGODB_URL: 'mongodb://db/' })).toMatchObject({ backend: 'cluster' });
    expect(parse({ MONGODB_URL: 'mongodb://db/', REDIS_URL_FILE: '/absent' })).toMatchObject({ backend: 'cluster' });
    expect(() => parse({ REDIS_URL: 'redis://cache/' })).toThrow(/^MONGODB_URL: not set/);
    expect(() => parse({})).toThrow(/MONGODB_URL/);
  });

  test.each([
    'mongodb://m1:27017,m2:27017,m3:27017/?replicaSet=rs0',
    'mongodb://user:pass@m1,m2:27018/orders?authSource=admin',
    'mongodb+srv://db.example.com/',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock',
  ])('accepts MONGODB_URL %s', (given) => {
    const stores = { MONGODB_URL: given, REDIS_URL: 'redis://cache/' };
    expect(parseSettings(stores, api).settings).toMatchObject(stores);
  });

  test('reports every mistake with the given and the allowed values', () => {
    expect(collectMistakes({ PORT: '65536', COOKIE_SECURE: 'yes' })).toEqual([
      'PORT: "65536" is not allowed; allowed: a whole number from 0 to 65535',
      'COOKIE_SECURE: "yes" is not allowed; allowed: true or false',
    ]);
  });

  test('takes blanks and line ends from the ends of secrets that are texts, and refuses what nobody sees in them', () => {
    const key = 'k'.repeat(32);
    const secrets = { AUDIT_HMAC_KEY: key, ADMIN_PASSWORD: 'twelve letters' };
    const padded = Object.fromEntries(Object.entries(secrets).map(([name, text]) => [name, ` ${text}\r\n`]));
    expect(parseSettings(padded, api).settings).toMatchObject(secrets);
    for (const inside of ['\n', '\t', '\u200b']) {
      const damaged = { AUDIT_HMAC_KEY: key + inside + key };
      expect(collectMistakes(damaged)).toEqual([expect.stringMatching(/^AUDIT_HMAC_KEY: .*control or invisible/)]);
    }
  });

  test('accepts an ADMIN_PASSWORD of 12 to 128 code points unchanged', () => {
    for (const password of ['🦄'.repeat(12), '🦄'.repeat(128)]) {
      expect(parseSettings({ ADMIN_PASSWORD: password }, api).settings.ADMIN_PASSWORD).toBe(password);
    }
    for (const password of ['🦄'.repeat(11), 'x'.repeat(129)]) {
      expect(collectMistakes({ ADMIN_PASSWORD: password })).toEqual([expect.stringMatching(/12 to 128 characters$/)]);
    }
  });

  test.each([
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['192.168.1.7, fd00::/8', ['192.168.1.7', 'fd00::/8']],
    ['2', 2],
    ['none', []],
    [undefined, null],
  ])('parses TRUSTED_PROXIES %s', (given, expected) => {
    expect(parseSettings({ TRUSTED_PROXIES: given }, api).settings.TRUSTED_PROXIES).toEqual(expected);
  });

  test('rejects a PUBLIC_BASE_URL with http: while cookies are sent over HTTPS only, except on this machine', () => {
    const publicUrl = (given: string, others = {}) =>
      collectMistakes({ PUBLIC_BASE_URL: given, HOST: '::', ...others });
    expect(publicUrl('http://widgets.example')).toEqual([
      'PUBLIC_BASE_URL, COOKIE_SECURE: "http://widgets.example" begins with http:, but browsers send the session cookie ' +
        'over HTTPS only; allowed: a URL with https:, or COOKIE_SECURE=false',
    ]);
    expect(publicUrl('https://widgets.example')).toEqual([]);
    expect(publicUrl('http://widgets.example', { COOKIE_SECURE: 'false' })).toEqual([]);
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080'])
      expect(publicUrl(`http://${host}/base`)).toEqual([]);
  });

  test('parses the contacts of security.txt', () => {
    const given = { SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report,tel:+49-30-1' };
    const contacts = ['mailto:security@example.com', 'https://example.com/report', 'tel:+49-30-1'];
    expect(parseSettings(given, api).settings.SECURITY_CONTACT).toEqual(contacts);
  });

  test.each([
    [undefined, ['console', 'docs']],
    ['docs', ['docs']],
    ['docs, console', ['docs', 'console']],
    ['none', []],
  ])('parses PAGES %s', (given, expected) => {
    expect([...parseSettings({ PAGES: given }, api).settings.PAGES]).toEqual(expected);
  });

  test('accepts names, comma-separated, as ALLOWED_HOSTS', () => {
    expect(collectMistakes({ ALLOWED_HOSTS: 'widget-api, widget_api.ns.svc.,*' })).toEqual([]);
  });

  test('rejects the same port for both interfaces of an api, even if one is the default', () => {
    const mistakes = ['PORT, OPS_PORT: both are 8081; allowed: two different ports'];
    expect(collectMistakes({ PORT: '8081' })).toEqual(mistakes);
    expect(collectMistakes({ PORT: '8081', OPS_PORT: '8081', HOST: '0.0.0.0' })).toEqual(mistakes);
    expect(collectMistakes({ PORT: '0', OPS_PORT: '0' })).toEqual([]);
    const stores = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/' };
    expect(collectMistakes({ ...stores, PORT: '8082', OPS_PORT: '8082' }, 'worker')).toEqual([]);
  });
});
