import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestCaller } from '../../drivers/app/test-app.ts';
import { openAppWithWatchedControlLog } from '../../drivers/app/watched-control-log.ts';

const { service, control } = await openAppWithWatchedControlLog();
const admin = await service.signedIn('admin');
beforeEach(() => {
  control.announced.length = 0;
  control.isUnavailable = false;
});
afterAll(() => service.close());

const update = (id: string, payload: object, caller = admin) =>
  service.patch(`/api/v1/users/${id}`, payload, caller.headers);
const getSession = (caller: TestCaller) => service.get('/api/v1/session', { cookie: caller.cookie });
const createWidget = ({ headers }: TestCaller) => service.post('/api/v1/widgets', { name: 'x' }, headers);
const expectSignedOut = async (caller: TestCaller) => {
  for (const response of [await getSession(caller), await createWidget(caller)]) {
    expectProblem(response, { status: 403, code: 'not-authenticated' });
  }
};

describe('PATCH /api/v1/users/{id}', () => {
  test('applies a new role to the next request of an open session', async () => {
    const user = await service.signedIn('viewer');
    const response = await update(user.userId, { role: 'editor' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id: user.userId, role: 'editor', disabled: false });
    expect((await getSession(user)).json()).toMatchObject({ permissions: ['widgets:read', 'widgets:create'] });
    expect((await createWidget(user)).statusCode).toBe(201);
    await update(user.userId, { role: 'viewer' });
    expectProblem(await createWidget(user), { status: 403, code: 'permission-denied' });
    // The other pods learn both roles from the control log.
    const announcement = { kind: 'user', id: user.userId, change: 'changed' };
    expect(control.announced).toEqual([announcement, announcement]);
  });

  test('ends every session of a disabled user for good, and no other session', async () => {
    const [user, other] = [await service.signedIn('editor'), await service.signedIn('editor')];
    expect((await createWidget(user)).statusCode).toBe(201);
    expect((await update(user.userId, { disabled: true })).json()).toMatchObject({ disabled: true });
    await expectSignedOut(user);
    expect((await createWidget(other)).statusCode).toBe(201);
    expect((await update(user.userId, { disabled: false })).json()).toMatchObject({ disabled: false });
    await expectSignedOut(user);
    expect(control.announced).toEqual([{ kind: 'user', id: user.userId, change: 'revoked' }]);
  });

  test('rejects a new password for the caller, who must give the current one elsewhere', async () => {
    const response = await update(admin.userId.toUpperCase(), {
      password: 'a stolen session wants this',
      role: 'admin',
    });
    expectProblem(response, { status: 403, code: 'permission-denied' });
    expect(response.json().detail).toContain('PUT /api/v1/session/password');
    expect((await getSession(admin)).statusCode).toBe(200);
    expect(control.announced).toEqual([]);
    expect((await update(admin.userId, { password: null, role: 'admin' })).statusCode).toBe(200);
  });

  test('replaces the password and ends every session of the user', async () => {
    const email = `${randomUUID()}@example.org`;
    const passwords = ['the first password', 'the second password'] as const;
    const url = '/api/v1/users';
    const payload = { email, password: passwords[0] };
    const { id } = (await admin.post(url, payload)).json();
    const signIn = (password: string) => service.post('/api/v1/session', { email, password });
    const first = await signIn(passwords[0]);
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    const response = await update(id, { password: passwords[1] });
    expect(response.json()).toMatchObject({ id, lastSignInAt: first.json().user.lastSignInAt });
    const session = await service.get('/api/v1/session', { cookie });
    expectProblem(session, { status: 403, code: 'not-authenticated' });
    expectProblem(await signIn(passwords[0]), { status: 403, code: 'invalid-credentials' });
    expect((await signIn(passwords[1])).statusCode).toBe(200);
    expect(service.logLines.join('')).not.toContain(passwords[1]);
  });

  test('returns 200 and changes nothing when no member is given or every member is null', async () => {
    const user = await service.signedIn('editor');
    const before = await service.backend.users.get(user.userId);
    for (const payload of [{}, { role: null, disabled: null, password: null }]) {
      const response = await update(user.userId, payload);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ id: user.userId, role: 'editor', disabled: false });
    }
    expect(await service.backend.users.get(user.userId)).toEqual(before);
    expect((await getSession(user)).statusCode).toBe(200);
    expect(control.announced).toEqual([]);
  });

  test('sets and removes the name, and keeps it when it is left out', async () => {
    const user = await service.signedIn('viewer');
    expect((await update(user.userId, { name: ' Kim Doe ' })).json()).toMatchObject({
      name: 'Kim Doe',
      role: 'viewer',
    });
    expect((await update(user.userId, { role: 'editor' })).json()).toMatchObject({ name: 'Kim Doe', role: 'editor' });
    expect((await getSession(user)).json()).toMatchObject({ user: { name: 'Kim Doe' } });
    expect((await update(user.userId, { name: null })).json()).toMatchObject({ name: null, role: 'editor' });
    expect((await getSession(user)).json()).toMatchObject({ user: { name: null } });
    // Only the role is news for other pods.
    expect(control.announced).toEqual([{ kind: 'user', id: user.userId, change: 'changed' }]);
  });

  test('lets an admin drop the role or disable themself while there is another admin', async () => {
    const [first, other] = [await service.signedIn('admin'), await service.signedIn('admin')];
    expect((await update(first.userId, { role: 'viewer' }, first)).json()).toMatchObject({ role: 'viewer' });
    expectProblem(await update(first.userId, { role: 'admin' }, first), { status: 403, code: 'permission-denied' });
    expect((await update(other.userId, { disabled: true }, other)).json()).toMatchObject({ disabled: true });
    await expectSignedOut(other);
  });
});

describe('PATCH /api/v1/users/{id}: rejected', () => {
  test('returns 409 last-admin for the only admin, who stays signed in', async () => {
    const own = await openTestApp();
    onTestFinished(() => own.close());
    const [only] = [await own.signedIn('admin'), await own.signedIn('editor')];
    for (const payload of [{ role: 'viewer' }, { disabled: true }, { role: 'viewer', disabled: true }]) {
      const response = await only.patch(`/api/v1/users/${only.userId}`, payload);
      expectProblem(response, { status: 409, code: 'last-admin' });
    }
    expect((await only.get('/api/v1/session')).json()).toMatchObject({ user: { role: 'admin', disabled: false } });
  });

  test('returns 503 but ends the sessions while the control log is unavailable; the request can be repeated', async () => {
    const user = await service.signedIn('editor');
    control.isUnavailable = true;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expectProblem(await update(user.userId, { disabled: true }), { status: 503, code: 'unavailable' });
      await expectSignedOut(user);
    }
    control.isUnavailable = false;
    expect((await update(user.userId, { disabled: true })).statusCode).toBe(200);
    expect(control.announced).toEqual([{ kind: 'user', id: user.userId, change: 'revoked' }]);
  });

  test('returns 503 if no other pod hears of a new role, which this pod applies; the request can be repeated', async () => {
    const user = await service.signedIn('editor');
    expect((await createWidget(user)).statusCode).toBe(201);
    control.isUnavailable = true;
    expectProblem(await update(user.userId, { role: 'viewer' }), { status: 503, code: 'unavailable' });
    expectProblem(await createWidget(user), { status: 403, code: 'permission-denied' });
    control.isUnavailable = false;
    expect((await update(user.userId, { role: 'viewer' })).statusCode).toBe(200);
    expect(control.announced).toEqual([{ kind: 'user', id: user.userId, change: 'changed' }]);
  });
});
