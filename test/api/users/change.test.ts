import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
let announced: ControlEntry[];
let isLogAway = false;
beforeAll(async () => {
  service = await openTestApp({
    replace: ({ control }) => ({
      control: {
        openTail: () => control.openTail(),
        announce: async (entry) => {
          if (isLogAway) throw new UnavailableError('the log is away');
          announced.push(entry);
          await control.announce(entry);
        },
      },
    }),
  });
  admin = await service.signedIn('admin');
});
beforeEach(() => {
  announced = [];
  isLogAway = false;
});
afterAll(() => service.close());

const change = (id: string, payload: object, caller = admin) =>
  service.inject({ method: 'PATCH', url: `/api/v1/users/${id}`, headers: caller.headers, payload });
const session = (caller: TestCaller) =>
  service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie: caller.cookie } });
const expectSignedOut = async (caller: TestCaller) =>
  expectProblem(await session(caller), { status: 403, code: 'not-authenticated' });

describe('200', () => {
  test('a new role holds at the next request of an open session', async () => {
    const person = await service.signedIn('viewer');
    const response = await change(person.userId, { role: 'editor' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id: person.userId, role: 'editor', disabled: false });
    expect((await session(person)).json()).toMatchObject({ permissions: ['widgets:read', 'widgets:create'] });
    await change(person.userId, { role: 'viewer' });
    const refused = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: person.headers,
      payload: { name: 'x' },
    });
    expectProblem(refused, { status: 403, code: 'permission-denied' });
    expect(announced).toEqual([]);
  });

  test('disabling ends all sessions of that user for good, and nobody else’s', async () => {
    const [person, other] = [await service.signedIn('editor'), await service.signedIn('editor')];
    expect((await change(person.userId, { disabled: true })).json()).toMatchObject({ disabled: true });
    await expectSignedOut(person);
    expect((await session(other)).statusCode).toBe(200);
    expect((await change(person.userId, { disabled: false })).json()).toMatchObject({ disabled: false });
    await expectSignedOut(person);
    expect(announced).toEqual([{ kind: 'user', id: person.userId, change: 'revoked' }]);
  });

  test('a new password replaces the old one, and ends all sessions', async () => {
    const email = `${randomUUID()}@example.org`;
    const passwords = ['the first password', 'the second password'] as const;
    const url = '/api/v1/users';
    const payload = { email, password: passwords[0] };
    const { id } = (await service.inject({ method: 'POST', url, headers: admin.headers, payload })).json();
    const signIn = (password: string) =>
      service.inject({ method: 'POST', url: '/api/v1/session', payload: { email, password } });
    const first = await signIn(passwords[0]);
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    const response = await change(id, { password: passwords[1] });
    expect(response.json()).toMatchObject({ id, lastSignInAt: first.json().user.lastSignInAt });
    const shown = await service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie } });
    expectProblem(shown, { status: 403, code: 'not-authenticated' });
    expectProblem(await signIn(passwords[0]), { status: 403, code: 'invalid-credentials' });
    expect((await signIn(passwords[1])).statusCode).toBe(200);
    expect(service.logLines.join('')).not.toContain(passwords[1]);
  });

  test('nothing given, nothing changed', async () => {
    const person = await service.signedIn('editor');
    const before = await service.backend.users.findById(person.userId);
    for (const payload of [{}, { role: null, disabled: null, password: null }]) {
      const response = await change(person.userId, payload);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ id: person.userId, role: 'editor', disabled: false });
    }
    expect(await service.backend.users.findById(person.userId)).toEqual(before);
    expect((await session(person)).statusCode).toBe(200);
    expect(announced).toEqual([]);
  });

  test('an admin may give up the role, or disable themself, while there is another', async () => {
    const [one, other] = [await service.signedIn('admin'), await service.signedIn('admin')];
    expect((await change(one.userId, { role: 'viewer' }, one)).json()).toMatchObject({ role: 'viewer' });
    expectProblem(await change(one.userId, { role: 'admin' }, one), { status: 403, code: 'permission-denied' });
    expect((await change(other.userId, { disabled: true }, other)).json()).toMatchObject({ disabled: true });
    await expectSignedOut(other);
  });
});

test.each([
  [{ role: 'owner' }, '#/role', 'enum'],
  [{ disabled: 'yes' }, '#/disabled', 'type'],
  [{ password: 'too short' }, '#/password', 'too-short'],
  [{ email: 'other@example.org' }, '#/email', 'unknown-field'],
])('400: %j', async (payload, pointer, code) => {
  const response = await change(admin.userId, payload);
  expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
});

test('404: unknown and malformed', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'me']) {
    expectProblem(await change(id, { role: 'admin' }), { status: 404, code: 'not-found' });
    expectProblem(await change(id, {}), { status: 404, code: 'not-found' });
  }
});

test('503: the pods cannot be told; the sessions are over all the same, and it can be repeated', async () => {
  const person = await service.signedIn('editor');
  isLogAway = true;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    expectProblem(await change(person.userId, { disabled: true }), { status: 503, code: 'unavailable' });
    await expectSignedOut(person);
  }
  isLogAway = false;
  expect((await change(person.userId, { disabled: true })).statusCode).toBe(200);
  expect(announced).toEqual([{ kind: 'user', id: person.userId, change: 'revoked' }]);
});
