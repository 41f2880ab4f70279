import { randomUUID } from 'node:crypto';
import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Session } from '@widget-service/shared/entities/session.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { openAppWithWatchedControlLog } from '../../drivers/app/watched-control-log.ts';

const password = 'correct horse battery';
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
const hourMs = 3_600_000;

const { service, control } = await openAppWithWatchedControlLog();
const admin = await service.signedIn('admin');
beforeEach(() => {
  control.announced.length = 0;
  control.isUnavailable = false;
});
afterAll(() => service.close());

type Headers = Readonly<Record<string, string>>;
const list = (headers: Headers, url = '/api/v1/sessions') => service.get(url, headers);
const end = (headers: Headers, url: string) => service.delete(url, headers);
const isSignedIn = async ({ cookie = '' }: Headers) =>
  (await service.get('/api/v1/session', { cookie })).statusCode === 200;

/** Signs a user in from a device and an address. Returns the headers of the new session. */
async function signIn(email: string, userAgent: string, remoteAddress: string): Promise<Headers & { cookie: string }> {
  const request = { method: 'POST', url: '/api/v1/session', payload: { email, password }, remoteAddress } as const;
  const response = await service.inject({ ...request, headers: { 'user-agent': userAgent } });
  const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': response.json().csrfToken };
}

/** A user with two sessions: of a browser, then of a program. */
async function signInTwice() {
  const { user } = await createPasswordUser(service, password);
  const browser = await signIn(user.email, firefox, '198.51.100.7');
  const program = await signIn(user.email, 'curl/8.5.0', '2001:db8::7');
  const { items } = (await list(browser)).json();
  const [programSession, browserSession] = items as { id: string }[];
  return { user, browser, program, browserId: browserSession?.id ?? '', programId: programSession?.id ?? '' };
}

describe('GET /api/v1/sessions', () => {
  test('returns the sessions of the caller, the newest first, with device, address and last use, and marks the current one', async () => {
    const { browser, program, browserId, programId } = await signInTwice();
    await service.signedIn('viewer');
    const response = await list(browser);
    expect(response.statusCode).toBe(200);
    const times = { createdAt: expect.any(String), lastUsedAt: expect.any(String), expiresAt: expect.any(String) };
    expect(response.json()).toEqual({
      items: [
        { id: programId, device: 'curl/8.5.0', address: '2001:db8::7', ...times, current: false },
        { id: browserId, device: 'Firefox 145 on Windows', address: '198.51.100.7', ...times, current: true },
      ],
      page: 1,
      pageSize: 50,
      totalItems: 2,
      totalPages: 1,
      hasNext: false,
    });
    expect((await list(program)).json().items).toMatchObject([{ current: true }, { current: false }]);
    expect((await list(program, '/api/v1/sessions?page=2&pageSize=1')).json()).toMatchObject({
      items: [{ id: browserId }],
      hasNext: false,
    });
  });

  test('shows neither the secret of a session nor its digest', async () => {
    const { browser, program } = await signInTwice();
    const { body } = await list(browser);
    for (const { cookie } of [browser, program]) {
      const secret = cookie.split('=')[1] ?? '';
      for (const hidden of [secret, sha256Hex(secret), computeCsrfToken(secret)]) expect(body).not.toContain(hidden);
    }
  });

  test('leaves out sessions that have ended by their age or were idle for too long', async () => {
    const caller = await service.signedIn('viewer');
    const now = Date.now();
    const insert = (times: Partial<Session>) =>
      service.backend.sessions.insert({
        ...{ id: randomUUID(), digest: sha256Hex(randomUUID()), userId: caller.userId, device: null, address: null },
        ...{ createdAt: new Date(now), lastSeenAt: new Date(now), expiresAt: new Date(now + hourMs) },
        ...times,
      });
    await insert({ expiresAt: new Date(now - 1) });
    await insert({ lastSeenAt: new Date(now - 12 * hourMs - 1) });
    expect((await list(caller.headers)).json()).toMatchObject({ totalItems: 1, items: [{ current: true }] });
  });

  test('returns null for the address of a client behind a proxy that is not trusted', async () => {
    const { user } = await createPasswordUser(service, password);
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/session',
      payload: { email: user.email, password },
      remoteAddress: '10.0.0.2',
      headers: { 'x-forwarded-for': '198.51.100.7' },
    });
    const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
    expect((await list({ cookie })).json().items).toMatchObject([{ address: null }]);
  });
});

describe('DELETE /api/v1/sessions/{id}', () => {
  test('ends another session of the caller at once, announces it, and keeps this one', async () => {
    const { browser, program, programId } = await signInTwice();
    const response = await end(browser, `/api/v1/sessions/${programId.toUpperCase()}`);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers['set-cookie']).toBeUndefined();
    expect([await isSignedIn(program), await isSignedIn(browser)]).toEqual([false, true]);
    expect(control.announced).toEqual([
      { kind: 'session', id: sha256Hex(program.cookie.split('=')[1] ?? ''), change: 'revoked' },
    ]);
    expect((await list(browser)).json()).toMatchObject({ totalItems: 1 });
    expectProblem(await end(browser, `/api/v1/sessions/${programId}`), { status: 404, code: 'not-found' });
  });

  test('clears the cookie when the session of the request ends', async () => {
    const { browser, browserId } = await signInTwice();
    const response = await end(browser, `/api/v1/sessions/${browserId}`);
    expect(response.statusCode).toBe(204);
    expect(response.headers['set-cookie']).toBe('service_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("returns 404 for another user's session, the digest of a session, and a malformed id, and ends none", async () => {
    const { browser, program, programId } = await signInTwice();
    const digest = sha256Hex(program.cookie.split('=')[1] ?? '');
    const stranger = await service.signedIn('viewer');
    expectProblem(await end(stranger.headers, `/api/v1/sessions/${programId}`), { status: 404, code: 'not-found' });
    for (const id of [digest, 'x', randomUUID()]) {
      expectProblem(await end(browser, `/api/v1/sessions/${id}`), { status: 404, code: 'not-found' });
    }
    expect(await isSignedIn(program)).toBe(true);
    expect(control.announced).toEqual([]);
  });

  test('returns 503 but ends the session while the control log is unavailable', async () => {
    const { browser, program, programId } = await signInTwice();
    control.isUnavailable = true;
    const response = await end(browser, `/api/v1/sessions/${programId}`);
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(await isSignedIn(program)).toBe(false);
  });
});

describe('/api/v1/users/{id}/sessions', () => {
  test('lists the sessions of a user for an admin, without a current one', async () => {
    const { user, programId, browserId } = await signInTwice();
    const { items } = (await list(admin.headers, `/api/v1/users/${user.id}/sessions`)).json();
    expect(items).toMatchObject([
      { id: programId, device: 'curl/8.5.0', current: false },
      { id: browserId, current: false },
    ]);
    const own = (await list(admin.headers, `/api/v1/users/${admin.userId}/sessions`)).json();
    expect(own.items).toMatchObject([{ current: true, device: null, address: null }]);
  });

  test('DELETE ends all sessions of the user and no other; the user can sign in again', async () => {
    const { user, browser, program } = await signInTwice();
    const response = await end(admin.headers, `/api/v1/users/${user.id}/sessions`);
    expect(response.statusCode).toBe(204);
    expect(control.announced).toEqual([{ kind: 'user', id: user.id, change: 'revoked' }]);
    expect([await isSignedIn(browser), await isSignedIn(program)]).toEqual([false, false]);
    expect(await isSignedIn(admin.headers)).toBe(true);
    expect(await isSignedIn(await signIn(user.email, firefox, '198.51.100.7'))).toBe(true);
    expect((await end(admin.headers, `/api/v1/users/${user.id}/sessions`)).statusCode).toBe(204);
  });

  test('DELETE /{sessionId} ends one session of that user only', async () => {
    const { user, browser, program, browserId } = await signInTwice();
    const url = `/api/v1/users/${user.id}/sessions/${browserId}`;
    const wrongUser = `/api/v1/users/${admin.userId}/sessions/${browserId}`;
    expectProblem(await end(admin.headers, wrongUser), { status: 404, code: 'not-found' });
    expect((await end(admin.headers, url)).statusCode).toBe(204);
    expect([await isSignedIn(browser), await isSignedIn(program)]).toEqual([false, true]);
    expectProblem(await end(admin.headers, url), { status: 404, code: 'not-found' });
  });
});

describe('POST /api/v1/session', () => {
  test('ends the oldest session of a user who has 100, and tells the pods', async () => {
    const { user, browser, programId } = await signInTwice();
    const { sessions } = service.backend;
    const first = await sessions.find({ userId: user.id, id: programId });
    if (first === null) throw new Error('there is no session');
    const createdAt = new Date(first.createdAt.getTime() + 1);
    for (let index = 0; index < 98; index += 1) {
      await sessions.insert({ ...first, id: randomUUID(), digest: sha256Hex(`${user.id} ${index}`), createdAt });
    }
    expect(await isSignedIn(browser)).toBe(true);
    const newest = await signIn(user.email, firefox, '198.51.100.7');
    expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(newest)).toBe(true);
    expect((await list(newest)).json()).toMatchObject({ totalItems: 100 });
    expect(control.announced).toContainEqual(expect.objectContaining({ kind: 'session', change: 'revoked' }));
  });
});
