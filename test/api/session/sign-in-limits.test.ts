import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/app/expect-rate-limit.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const password = 'correct horse battery';
/** Low, because the tests hash six times as many passwords. */
const perMinute = 1;
let userLookups = 0;
const service = await openSharedApp({
  limits: { signInFailuresPerMinute: perMinute },
  replace: ({ users }) => ({
    users: new Proxy(users, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name === 'find') userLookups += 1;
        return member.bind(target);
      },
    }),
  }),
});
const passwordHash = await new PasswordHasher().hash(password);

let email: string;
let address: string;
let nextAddress = 0;
/** Each test has its own account and address, so that their counts are independent. */
beforeEach(async () => {
  email = await createUser();
  address = anAddress();
});

function anAddress(): string {
  nextAddress += 1;
  return `198.51.${Math.floor(nextAddress / 250)}.${nextAddress % 250}`;
}

async function createUser(): Promise<string> {
  const user = aUser({ passwordHash });
  await service.backend.users.insert(user);
  return user.email;
}

const signIn = (overrides: { email?: string; password?: string; from?: string } = {}, app = service.app) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/session',
    remoteAddress: overrides.from ?? address,
    payload: { email: overrides.email ?? email, password: overrides.password ?? password },
  });

const failTimes = async (times: number, overrides: Parameters<typeof signIn>[0] = {}) => {
  for (let index = 0; index < times; index += 1) {
    const failed = await signIn({ ...overrides, password: 'wrong' });
    expectProblem(failed, { status: 403, code: 'invalid-credentials' });
  }
};

describe('POST /api/v1/session after too many failures of an account from one address', () => {
  test('returns 429 for the correct password too, before it looks up the user', async () => {
    await failTimes(perMinute);
    const before = userLookups;
    for (const attempted of ['wrong', password]) {
      const limited = await signIn({ password: attempted });
      expectProblem(limited, { status: 429, code: 'rate-limited' });
      expect(limited.headers['ratelimit-policy']).toBe('"sign-in";q=1;w=60');
      expectRateLimit(limited, { name: 'sign-in', remaining: 0, resetSeconds: 60 });
      expectSeconds(limited.headers['retry-after'], 60);
    }
    expect(userLookups).toBe(before);
  });

  test('limits an unknown account in the same way, in upper or lower case', async () => {
    const unknown = `Nobody-${randomUUID()}@example.com`;
    await failTimes(perMinute, { email: unknown });
    const limited = await signIn({ email: unknown.toUpperCase() });
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    await failTimes(perMinute);
    const known = await signIn();
    expect(known.json()).toMatchObject({ title: limited.json().title, detail: limited.json().detail });
    expect(known.headers['ratelimit-policy']).toBe(limited.headers['ratelimit-policy']);
  });
});

describe('POST /api/v1/session: limits on failed sign-ins', () => {
  test('does not count successful sign-ins', async () => {
    for (let index = 0; index < 6; index += 1) expect((await signIn()).statusCode).toBe(200);
    await failTimes(perMinute);
    expectProblem(await signIn(), { status: 429, code: 'rate-limited' });
  });

  test('does not count requests that are rejected with 400', async () => {
    for (let index = 0; index < 10; index += 1) {
      const invalid = await service.post('/api/v1/session', { email });
      expectProblem(invalid, { status: 400, code: 'invalid-request' });
    }
    expect((await signIn()).statusCode).toBe(200);
  });

  test('checks no more passwords than the limit among many simultaneous requests', async () => {
    const before = userLookups;
    const responses = await Promise.all(Array.from({ length: 30 }, () => signIn({ password: 'wrong' })));
    expect(responses.filter(({ statusCode }) => statusCode === 403)).toHaveLength(perMinute);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30 - perMinute);
    expect(userLookups - before).toBe(perMinute);
  });

  test('limits an address after six times as many failures of any accounts', async () => {
    for (let account = 0; account < 6; account += 1)
      await failTimes(perMinute, { email: `${randomUUID()}@example.com` });
    const limited = await signIn();
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    expect(limited.headers['ratelimit-policy']).toBe('"sign-in";q=6;w=60');
    expect((await signIn({ from: anAddress() })).statusCode).toBe(200);
  });

  test('logs neither the e-mail nor the password', async () => {
    await failTimes(perMinute);
    await signIn();
    expect(service.logLines.join('')).not.toContain(password);
    expect(service.logLines.join('')).not.toContain(email);
  });
});

describe.runIf(inject('backend') === 'cluster')('POST /api/v1/session while Redis is unavailable', () => {
  test('counts failures within the pod', async () => {
    const fail = () => Promise.reject(new UnavailableError('redis is unavailable'));
    const withoutRedis = await openTestApp({
      limits: { signInFailuresPerMinute: perMinute },
      replace: () => ({ rateLimiter: { take: fail, giveBack: fail } }),
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < perMinute + 2; attempt += 1) {
      statuses.push((await signIn({ password: 'wrong' }, withoutRedis.app)).statusCode);
    }
    expect(statuses).toEqual([403, 429, 429]);
    await withoutRedis.close();
  });
});

test.runIf(inject('backend') === 'cluster')(
  'no key in Redis tells an address or lets anybody test a guess',
  async () => {
    const keys: string[] = [];
    const typed = 'my-p@ssw0rd';
    const watched = await openTestApp({
      limits: { signInFailuresPerMinute: perMinute },
      replace: ({ rateLimiter }) => ({
        rateLimiter: {
          take: (request) => {
            keys.push(request.key);
            return rateLimiter.take(request);
          },
          giveBack: (key, limit, count) => {
            keys.push(key);
            return rateLimiter.giveBack(key, limit, count);
          },
        },
      }),
    });
    await signIn({ email: typed }, watched.app);
    await watched.close();
    const plain = [address, '127.0.0.1', typed, sha256Hex(typed), sha256Hex(address)];
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.filter((key) => plain.some((text) => key.includes(text)))).toEqual([]);
  },
);

test('PUT /api/v1/session/password: counts a wrong current password as a failed sign-in', async () => {
  const signedIn = await signIn();
  const headers = {
    cookie: String(signedIn.headers['set-cookie']).split(';')[0] ?? '',
    'x-csrf-token': String(signedIn.json().csrfToken),
  };
  const change = (currentPassword: string) =>
    service.app.inject({
      method: 'PUT',
      url: '/api/v1/session/password',
      remoteAddress: address,
      headers,
      payload: { currentPassword, newPassword: 'another horse battery' },
    });
  for (let index = 0; index < perMinute; index += 1) {
    expectProblem(await change('wrong'), { status: 403, code: 'invalid-credentials' });
  }
  for (const limited of [await change('wrong'), await change(password), await signIn()]) {
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    expectRateLimit(limited, { name: 'sign-in', remaining: 0, resetSeconds: 60 });
  }
});
