import { mintDeviceCookie } from '@widget-service/shared/domain/device-cookie.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';

const password = 'correct horse battery';
/** With secure cookies, only this host can set it: the prefix says so to the browser. */
const deviceCookieName = '__Host-service_device';
/** Low, because the tests fail up to twenty times as often for each account. */
const perMinute = 1;
const failuresPerAccount = 20 * perMinute;

const service = await openSharedApp({ limits: { signInFailuresPerMinute: perMinute }, cookieSecure: true });
const passwordHash = await createPasswordHasher().hash(password);

let nextAddress = 0;
/** An address that no other attempt comes from. */
function anAddress(): string {
  nextAddress += 1;
  return `198.51.${Math.floor(nextAddress / 250)}.${nextAddress % 250}`;
}

interface Account {
  readonly id: string;
  readonly email: string;
}

let owner: Account;
beforeEach(async () => {
  owner = await createUser();
});

async function createUser(): Promise<Account> {
  const user = aUser({ passwordHash });
  await service.backend.users.insert(user);
  return user;
}

interface Attempt {
  readonly password?: string;
  readonly cookie?: string;
  readonly from?: string;
}

const signIn = ({ email }: Account, { password: sent = password, cookie, from = anAddress() }: Attempt = {}) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/session',
    remoteAddress: from,
    ...(cookie === undefined ? {} : { headers: { cookie } }),
    payload: { email, password: sent },
  });

/** Returns the `Set-Cookie` values of a response by the cookie's name, without the name. */
function readCookies(response: TestResponse): Record<string, string> {
  const values = [response.headers['set-cookie'] ?? []].flat().map(String);
  return Object.fromEntries(values.map((value) => [value.split('=')[0], value.slice(value.indexOf('=') + 1)]));
}

/** Signs in, and returns the device cookie as the browser sends it. */
async function learnBrowser(account: Account, attempt: Attempt = {}): Promise<string> {
  const response = await signIn(account, attempt);
  expect(response.statusCode).toBe(200);
  return `${deviceCookieName}=${readCookies(response)[deviceCookieName]?.split(';')[0]}`;
}

/** Strangers fail from as many addresses as the account can bear. */
async function lockByStrangers(account: Account): Promise<void> {
  for (let attempt = 0; attempt < failuresPerAccount; attempt += 1) {
    expect((await signIn(account, { password: 'wrong' })).statusCode).toBe(403);
  }
  expectProblem(await signIn(account), { status: 429, code: 'rate-limited' });
}

describe('a browser that has signed in before', () => {
  test('signs in while strangers lock the account from many addresses, also from another network', async () => {
    const cookie = await learnBrowser(owner);
    await lockByStrangers(owner);
    expect((await signIn(owner, { cookie })).statusCode).toBe(200);
    expect((await signIn(owner, { cookie: `another=1; ${cookie}; third=2` })).statusCode).toBe(200);
    expectProblem(await signIn(owner), { status: 429, code: 'rate-limited' });
  });

  test('has a limit of its own, which counts its failures from all addresses', async () => {
    const cookie = await learnBrowser(owner);
    expectProblem(await signIn(owner, { cookie, password: 'wrong' }), { status: 403, code: 'invalid-credentials' });
    const limited = await signIn(owner, { cookie });
    expectProblem(limited, { status: 429, code: 'rate-limited' });
    expect(limited.headers['ratelimit-policy']).toBe('"sign-in";q=1;w=60');
    expect((await signIn(owner)).statusCode).toBe(200);
    expect((await signIn(owner, { cookie: await learnBrowser(owner) })).statusCode).toBe(200);
  });

  test('gets a cookie that scripts and other sites cannot use, for 180 days', async () => {
    const { [deviceCookieName]: cookie } = readCookies(await signIn(owner));
    expect(cookie).toMatch(
      /^[\w-]{22}\.[0-9a-z]+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(service.logLines.join('')).not.toContain(cookie?.split(';')[0]);
  });

  test('gets no cookie with a failure', async () => {
    expect(readCookies(await signIn(owner, { password: 'wrong' }))).toEqual({});
  });

  test('stays known if another host plants a cookie without the prefix, and counts as a stranger with two of its own', async () => {
    const cookie = await learnBrowser(owner);
    await lockByStrangers(owner);
    expect((await signIn(owner, { cookie: `service_device=planted; ${cookie}` })).statusCode).toBe(200);
    for (const two of [`${deviceCookieName}=planted; ${cookie}`, `${cookie}; ${cookie}`]) {
      expectProblem(await signIn(owner, { cookie: two }), { status: 429, code: 'rate-limited' });
    }
    const withoutPrefix = cookie.replace('__Host-', '');
    expectProblem(await signIn(owner, { cookie: withoutPrefix }), { status: 429, code: 'rate-limited' });
  });
});

describe('a device cookie', () => {
  test('does not help at another account, and not if it was changed', async () => {
    const cookie = await learnBrowser(owner);
    const [nonce = '', issuedAt = '', mac = ''] = cookie.slice(`${deviceCookieName}=`.length).split('.');
    const victim = await createUser();
    await lockByStrangers(victim);
    await lockByStrangers(owner);
    expectProblem(await signIn(victim, { cookie }), { status: 429, code: 'rate-limited' });
    for (const forged of [
      `${'A'.repeat(22)}.${issuedAt}.${mac}`,
      `${nonce}.zzzzzzzz.${mac}`,
      `${nonce}.${issuedAt}.${'A'.repeat(43)}`,
      `${nonce}.${issuedAt}`,
      '',
    ]) {
      expectProblem(await signIn(owner, { cookie: `${deviceCookieName}=${forged}` }), {
        status: 429,
        code: 'rate-limited',
      });
    }
  });

  test('ends when the password changes; the browser that changes it gets a new one', async () => {
    const cookie = await learnBrowser(owner);
    const other = await signIn(owner, { cookie });
    const newPassword = 'another horse battery';
    const changed = await service.inject({
      method: 'PUT',
      url: '/api/v1/session/password',
      remoteAddress: anAddress(),
      headers: {
        cookie: `service_console=${readCookies(other).service_console?.split(';')[0]}; ${cookie}`,
        'x-csrf-token': String(other.json().csrfToken),
      },
      payload: { currentPassword: password, newPassword },
    });
    expect(changed.statusCode).toBe(200);
    await lockByStrangers(owner);
    expectProblem(await signIn(owner, { cookie, password: newPassword }), { status: 429, code: 'rate-limited' });
    const newCookie = `${deviceCookieName}=${readCookies(changed)[deviceCookieName]?.split(';')[0]}`;
    expect((await signIn(owner, { cookie: newCookie, password: newPassword })).statusCode).toBe(200);
  });

  test('lets its browser change the password while strangers lock the account', async () => {
    const cookie = await learnBrowser(owner);
    const signedIn = await signIn(owner, { cookie });
    await lockByStrangers(owner);
    const session = `service_console=${readCookies(signedIn).service_console?.split(';')[0]}`;
    const change = (sentCookie: string) =>
      service.inject({
        method: 'PUT',
        url: '/api/v1/session/password',
        remoteAddress: anAddress(),
        headers: { cookie: sentCookie, 'x-csrf-token': String(signedIn.json().csrfToken) },
        payload: { currentPassword: password, newPassword: 'another horse battery' },
      });
    expectProblem(await change(session), { status: 429, code: 'rate-limited' });
    expect((await change(`${session}; ${cookie}`)).statusCode).toBe(200);
  });
});

describe('POST /api/v1/users/{id}/unlock', () => {
  const unlock = async (id: string, role: 'admin' | 'editor' = 'admin') => {
    const caller = await service.signedIn(role);
    return service.inject({ method: 'POST', url: `/api/v1/users/${id}/unlock`, headers: caller.headers });
  };

  test('lets a locked-out user sign in from a browser that has not signed in before', async () => {
    await lockByStrangers(owner);
    const unlocked = await unlock(owner.id.toUpperCase());
    expect([unlocked.statusCode, unlocked.body]).toEqual([204, '']);
    expect((await signIn(owner)).statusCode).toBe(200);
    await lockByStrangers(owner);
  });

  test('may be repeated, and changes nothing for a user who is not locked out', async () => {
    for (let time = 0; time < 2; time += 1) expect((await unlock(owner.id)).statusCode).toBe(204);
    await lockByStrangers(owner);
  });
});

test('a cookie that anybody can compute, for an account that does not exist, is no known browser', async () => {
  const cookie = `${deviceCookieName}=${mintDeviceCookie({ id: '', passwordHash: '' }, new Date())}`;
  const remoteAddress = anAddress();
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const payload = { email: 'nobody@example.com', password: 'wrong' };
    const request = { method: 'POST', url: '/api/v1/session', remoteAddress, headers: { cookie }, payload } as const;
    statuses.push((await service.inject(request)).statusCode);
  }
  expect(statuses).toEqual([403, 429, 429]);
});
