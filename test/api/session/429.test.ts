import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { expectRateLimit, expectSeconds } from '../../drivers/expect-rate-limit.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const password = 'correct horse battery';
/** So few that six and twenty times as many are not too many passwords to hash. */
const perMinute = 1;
let service: TestApp;
let passwordHash: string;
let lookUps = 0;
beforeAll(async () => {
  service = await openTestApp({
    limits: { signInFailuresPerMinute: perMinute },
    replace: ({ users }) => ({
      users: new Proxy(users, {
        get: (target, name) => {
          const member = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          if (name === 'findByEmail') lookUps += 1;
          return member.bind(target);
        },
      }),
    }),
  });
  passwordHash = await createPasswordHasher().hash(password);
});
afterAll(() => service.close());

let email: string;
let address: string;
let nextAddress = 0;
/** Each test has an account and an address of its own: what one counts is nothing to another. */
beforeEach(async () => {
  email = await aUser();
  address = anAddress();
});

function anAddress(): string {
  nextAddress += 1;
  return `198.51.${Math.floor(nextAddress / 250)}.${nextAddress % 250}`;
}

async function aUser(): Promise<string> {
  const id = randomUUID();
  const user = { id, email: `${id}@example.com`, role: 'viewer', disabled: false, passwordHash } as const;
  await service.backend.users.insert({ ...user, createdAt: new Date(), lastSignInAt: null });
  return user.email;
}

const signIn = (given: { email?: string; password?: string; from?: string } = {}, app = service.app) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/session',
    remoteAddress: given.from ?? address,
    payload: { email: given.email ?? email, password: given.password ?? password },
  });

const failTimes = async (times: number, given: Parameters<typeof signIn>[0] = {}) => {
  for (let index = 0; index < times; index += 1) {
    const failed = await signIn({ ...given, password: 'wrong' });
    expectProblem(failed, { status: 403, code: 'invalid-credentials' });
  }
};

describe('after too many failures of an account from one address', () => {
  test('the right password is refused too, before anything is looked up', async () => {
    await failTimes(perMinute);
    const before = lookUps;
    for (const given of ['wrong', password]) {
      const refused = await signIn({ password: given });
      expectProblem(refused, { status: 429, code: 'rate-limited' });
      expect(refused.headers['ratelimit-policy']).toBe('"sign-in";q=1;w=60');
      expectRateLimit(refused, { name: 'sign-in', remaining: 0, resetSeconds: 60 });
      expectSeconds(refused.headers['retry-after'], 60);
    }
    expect(lookUps).toBe(before);
  });

  test('the account is open from elsewhere, and other accounts from here', async () => {
    await failTimes(perMinute);
    expect((await signIn({ from: anAddress() })).statusCode).toBe(200);
    expect((await signIn({ email: await aUser() })).statusCode).toBe(200);
  });

  test('an account that does not exist is refused alike, and spelled otherwise it is the same', async () => {
    const unknown = `Nobody-${randomUUID()}@example.com`;
    await failTimes(perMinute, { email: unknown });
    const refused = await signIn({ email: unknown.toUpperCase() });
    expectProblem(refused, { status: 429, code: 'rate-limited' });
    await failTimes(perMinute);
    const known = await signIn();
    expect(known.json()).toMatchObject({ title: refused.json().title, detail: refused.json().detail });
    expect(known.headers['ratelimit-policy']).toBe(refused.headers['ratelimit-policy']);
  });
});

test('successes do not count', async () => {
  for (let index = 0; index < 6; index += 1) expect((await signIn()).statusCode).toBe(200);
  await failTimes(perMinute);
  expectProblem(await signIn(), { status: 429, code: 'rate-limited' });
});

test('what is refused for its form does not count', async () => {
  for (let index = 0; index < 10; index += 1) {
    const invalid = await service.inject({ method: 'POST', url: '/api/v1/session', payload: { email } });
    expectProblem(invalid, { status: 400, code: 'invalid-request' });
  }
  expect((await signIn()).statusCode).toBe(200);
});

test('of many guesses at once no more than the limit are looked at', async () => {
  const before = lookUps;
  const answers = await Promise.all(Array.from({ length: 30 }, () => signIn({ password: 'wrong' })));
  expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(perMinute);
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30 - perMinute);
  expect(lookUps - before).toBe(perMinute);
});

test('six times as many failures of any accounts close an address', async () => {
  for (let account = 0; account < 6; account += 1) await failTimes(perMinute, { email: `${randomUUID()}@example.com` });
  const refused = await signIn();
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(refused.headers['ratelimit-policy']).toBe('"sign-in";q=6;w=60');
  expect((await signIn({ from: anAddress() })).statusCode).toBe(200);
});

test('twenty times as many failures from any addresses close an account for a while', async () => {
  for (let place = 0; place < 20; place += 1) await failTimes(perMinute, { from: anAddress() });
  const refused = await signIn({ from: anAddress() });
  expectProblem(refused, { status: 429, code: 'rate-limited' });
  expect(refused.headers['ratelimit-policy']).toBe('"sign-in";q=20;w=3600');
});

test('addresses of one IPv6 network count as one', async () => {
  await failTimes(perMinute, { from: '2001:db8:7:7:ffff::2' });
  expectProblem(await signIn({ from: '2001:db8:7:7::3' }), { status: 429, code: 'rate-limited' });
  expect((await signIn({ from: '2001:db8:7:8::1' })).statusCode).toBe(200);
});

test('neither e-mail nor password is in a log line', async () => {
  await failTimes(perMinute);
  await signIn();
  expect(service.logLines.join('')).not.toContain(password);
  expect(service.logLines.join('')).not.toContain(email);
});

describe.runIf(inject('backend') === 'cluster')('with the shared limiter away', () => {
  test('the pod counts by itself: guessing is never free', async () => {
    const away = () => Promise.reject(new UnavailableError('redis is away'));
    const alone = await openTestApp({
      limits: { signInFailuresPerMinute: perMinute },
      replace: () => ({ rateLimiter: { take: away, giveBack: away } }),
    });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < perMinute + 2; attempt += 1) {
      statuses.push((await signIn({ password: 'wrong' }, alone.app)).statusCode);
    }
    expect(statuses).toEqual([403, 429, 429]);
    await alone.close();
  });
});

test('a wrong current password counts too: a session that was left open is no place to guess', async () => {
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
  for (const refused of [await change('wrong'), await change(password), await signIn()]) {
    expectProblem(refused, { status: 429, code: 'rate-limited' });
    expectRateLimit(refused, { name: 'sign-in', remaining: 0, resetSeconds: 60 });
  }
});
