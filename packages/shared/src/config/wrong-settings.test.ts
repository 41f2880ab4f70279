import { describe, expect, test } from 'vitest';
import { parseSettings, SettingsError } from './parse-settings.ts';
import { type SettingName, settingsTable } from './settings.ts';

/** In every secret value below, so that a message that shows a part of one is noticed. */
const canary = 'hunter2';

const stores = { MONGODB_URL: 'mongodb://db/', REDIS_URL: 'redis://cache/' };
const provider = {
  PUBLIC_BASE_URL: 'https://widgets.example',
  OIDC_ISSUER_URL: 'https://id.example/',
  OIDC_CLIENT_ID: 'widgets',
  OIDC_CLIENT_SECRET: 'a secret of the provider',
  OIDC_ROLE_MAPPING: 'staff=admin',
};

function collectMistakes(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseSettings(environment, { app: 'api' });
    return [];
  } catch (error) {
    // Anything else would be a fault of the service: exit code 1 and a stack.
    if (!(error instanceof SettingsError)) throw error;
    expect(error.exitCode).toBe(78);
    return error.lines;
  }
}

/** The other settings that a value needs, so that it alone is wrong. */
function complete(name: string, value: string): Record<string, string> {
  const others = name.startsWith('OIDC_')
    ? provider
    : name.endsWith('REDIS_URL') || name === 'MONGODB_URL'
      ? stores
      : {};
  return { ...others, [name]: value };
}

const redisUrls = [
  `redis://:${canary}%@cache:6379`,
  `redis://${canary}%zz:x@cache`,
  `redis://:${canary}%ff@cache`,
  `REDISS:/:${canary}@cache/`,
  `redis://:p@ss/w#r%d:1${canary}@cache/`,
  `redis://:${canary}@cache/x`,
  `redis://:${canary}@cache/1.5`,
  `redis://:${canary}@cache/0/1`,
  `redis://:${canary}@cache/99999999999999999999`,
  `redis://:${canary}@cache/?db=3`,
  `redis://:${canary}@cache/#fragment`,
  `redis://:${canary}@cache:0/`,
  `redis://:${canary}@cache:65536/`,
  `redis://:${canary}@`,
  `redis://:${canary}@r1:6379,`,
  `redis://:${canary}@r1,r2:0`,
  `redis://:${canary}@r1;r2`,
  `redis://:${canary}@r1,::1:6379`,
  `redis://${canary}@cache`,
  `redis://:${canary}/x@cache/`,
  'redis://',
  'redis:///0',
  'redis:cache',
  'cache:6379',
  ' redis://cache',
  'redis://ca che',
  'redis+sentinel://cache',
];

const wholeNumbers = ['-1', '1.5', '1e3', '0x10', ' 1', '+1', '١', 'NaN', '9'.repeat(15), '9'.repeat(400), '1_000'];

const toMongodbUrl = (path: string) => `mongodb://user:${canary}@db/${path}`;

/** Values that cannot work, by setting. Settings with whole numbers and flags are found by their message. */
const wrongValues: Partial<Record<SettingName, readonly string[]>> = {
  MONGODB_URL: [
    `MONGODB://user:${canary}@db/`,
    `mongodb://user:${canary}%@db/`,
    `mongodb://user:${canary}%zz@db/`,
    `mongodb://user%ff:${canary}@db/`,
    `mongodb://user:${canary}@/`,
    `mongodb:///${canary}`,
    'mongodb://',
    'mongodb:db',
    'db:27017',
    ' mongodb://db',
    'mongodb://d b/',
    'mongodb+srv://db.example:27017,other/',
    `mongodb://user:${canary}@db:0/`,
    `mongodb://user:${canary}@db:65536/`,
    `mongodb://user:${canary}@db:port/`,
    ...['a%2Fb', 'a/b', 'a.b', 'a%20b', 'a$b', 'a*b', 'a:b', 'a%00b', '%7Ba%7D', '%C3%A4', '%ff'].map(toMongodbUrl),
    ...['x'.repeat(64), 'admin', 'local', 'config'].map(toMongodbUrl),
  ],
  REDIS_URL: redisUrls,
  EVENTS_REDIS_URL: redisUrls,
  REDIS_SENTINELS: [...redisUrls, 's1:26379', `redis://ops@s1,${canary}`],
  REDIS_TLS_CA: [canary, `-----BEGIN CERTIFICATE-----\n${canary}\n-----END CERTIFICATE-----`],
  REDIS_TLS_CERT: [canary, `-----BEGIN CERTIFICATE-----\n${canary}\n-----END CERTIFICATE-----`],
  EVENTS_READ_REDIS: ['replica', 'r1:6379,', 'r1:0', 'redis://r1:6379', ','],
  PUBLIC_BASE_URL: [
    'widgets.example',
    'ftp://widgets.example',
    'https://',
    `https://user:${canary}@widgets.example`,
    'https://widgets.example/?a',
    'https://widgets.example/#a',
    'https://widgets.example/%',
    'https://widgets.example:65536',
    'https://widgets.example:0',
    'https://*.example',
    'https://widgets example',
    'javascript:alert(1)',
  ],
  ADMIN_EMAIL: ['admin', '@', 'a@b@c', `${'a'.repeat(251)}@b.c`, 'a b@c'],
  ADMIN_PASSWORD: [canary, 'x'.repeat(129)],
  AUDIT_HMAC_KEY: [canary],
  ALLOWED_HOSTS: ['https://widgets.example', 'widgets.example:443', 'a b', 'a,,b', '*.example', '-a'],
  TRUSTED_PROXIES: [
    ...['0', '101', '-1', 'true', 'all', 'none,10.0.0.0/8', 'proxy.example', '10.0.0.256', 'fe80::1%eth0'],
    ...['10.0.0.0/0', '10.0.0.0/33', '0.0.0.0/0', '::/0', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/8,', ','],
  ],
  SECURITY_CONTACT: [
    ...['security@example.com', 'http://example.com', 'mailto:a@b\nExpires: x', 'https://a b', ',', 'mailto:a@b,'],
    `https://user:${canary}@example.com`,
  ],
  PAGES: ['all', 'console;docs', 'Console', 'console,', 'none,docs'],
  OIDC_ISSUER_URL: [
    'http://id.example',
    'http://127.0.0.1.example.com/',
    'id.example',
    'https://id.example/?a',
    'https://',
    ' https://id.example',
    `https://user:${canary}@id.example`,
    'https://id.example:0',
  ],
  OIDC_CLIENT_ID: [' ', '\t'],
  OIDC_CLIENT_SECRET: [canary],
  OIDC_SCOPES: ['email', 'openid,email', ' openid', 'openid  email'],
  OIDC_ROLE_CLAIM: [' ', '.', 'a..b', '.a', 'a.'],
  OIDC_ROLE_MAPPING: ['staff', 'staff=', 'staff=owner', '=admin', ',', 'staff=viewer,', 'staff=admin,staff=viewer'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    'collector:4318',
    'grpc://collector',
    `http://:${canary}%@collector`,
    `http://${canary}:%zz@collector`,
    'http://collector/?a',
    'http://collector:0',
    'http://',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: [
    canary,
    `=${canary}`,
    `a b=${canary}`,
    `authorization=${canary}%`,
    `authorization=${canary}%0d%0ax`,
    `ä=${canary}`,
    `a=${canary},`,
    `a=${canary},b`,
    `a=${canary}%E2%82%AC`,
  ],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', '2', '0,5', '1e-3', '50%', ' 0.5'],
  REDIS_DURABILITY_CHECK: ['Enforce', 'off'],
  LOG_LEVEL: ['INFO', 'verbose'],
  DATA_DIR: ['data\u0000base'],
  HOST: [' ', '0.0.0.0:8080', 'http://0.0.0.0', '::1%', '[::1]', 'a b', 'a/b'],
};

/** The values of a setting that `wrongValues` does not list: of the kind that its default shows. */
function listWrongValues(name: SettingName): readonly string[] {
  const listed = wrongValues[name];
  if (listed !== undefined) return listed;
  const [message = ''] = settingsTable[name].schema.safeParse('?').error?.issues.map((issue) => issue.message) ?? [];
  if (message.startsWith('a whole number')) return wholeNumbers;
  if (message === 'true or false') return ['TRUE', '1', 'yes', ' true'];
  throw new Error(`${name} has no wrong values in this test: add some`);
}

describe('a value that cannot work', () => {
  const cases = (Object.keys(settingsTable) as SettingName[]).flatMap((name) =>
    listWrongValues(name).map((value) => [name, value] as const),
  );

  test.each(cases)('%s=%j is one line that begins with its name and shows no secret', (name, value) => {
    const lines = collectMistakes(complete(name, value));
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
    expect(lines.join('\n')).not.toContain(canary);
  });
});

/** Added to a date or compared with one, never waited for. */
const onlyForDates = ['AUDIT_RETENTION_MS', 'TOKEN_MAX_LIFETIME_MS', 'DELIVERY_RETENTION_MS'];

describe('a time that a timer of Node cannot hold', () => {
  const names = Object.keys(settingsTable).filter((name) => /_MS$|TIMEOUT$/.test(name));

  test.each(names.filter((name) => !onlyForDates.includes(name)))('is refused for %s', (name) => {
    // Above it, `setTimeout` waits for 1 ms.
    expect(collectMistakes({ [name]: '2147483648' })).toEqual([expect.stringMatching(`^${name}: `)]);
  });
});
