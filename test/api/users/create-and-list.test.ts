import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const password = 'correct horse battery';
const create = (payload: object) => admin.post('/api/v1/users', payload);
const signIn = (credentials: { email: string; password: string }) => service.post('/api/v1/session', credentials);

describe('POST /api/v1/users', () => {
  test('returns 201 with the user and the Location; the user can sign in', async () => {
    const name = randomUUID();
    const response = await create({ email: `${name}@Example.ORG`, password, role: 'editor' });
    expect(response.statusCode).toBe(201);
    const user = response.json();
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: `${name}@example.org`,
      name: null,
      role: 'editor',
      disabled: false,
      mustChangePassword: true,
      passwordExpiresAt: expect.stringMatching(/Z$/),
      identity: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastSignInAt: null,
    });
    const url = new URL(String(response.headers.location), 'http://localhost/api/v1/users').pathname;
    const shown = await admin.get(url);
    expect(shown.json()).toEqual(user);
    const session = await signIn({ email: `${name}@EXAMPLE.org`, password });
    expect(session.statusCode).toBe(200);
    expect(session.json()).toMatchObject({ user: { id: user.id }, permissions: ['widgets:read', 'widgets:create'] });
  });

  test('keeps a trimmed name; null is no name', async () => {
    const createNamed = async (name: string | null) =>
      (await create({ email: `${randomUUID()}@example.org`, password, name })).json().name;
    expect(await createNamed(`  Åsa ${'🦄'.repeat(196)} `)).toBe(`Åsa ${'🦄'.repeat(196)}`);
    expect(await createNamed(null)).toBeNull();
  });

  test('uses the role viewer when none is given', async () => {
    expect((await create({ email: 'least@example.org', password })).json().role).toBe('viewer');
    expect((await create({ email: 'null@example.org', password, role: null })).json().role).toBe('viewer');
  });

  test.each([
    ['12 code points', '𝟙🦄鳥ö𝟚🐟鱼é𝟛🐝魚ß'],
    ['128 code points', '𝟙🦄鳥ö𝟚🐟鱼é'.repeat(16)],
    ['spaces in it', 'ten  letters  here'],
    ['decomposed letters', 'e\u0301lan vital cafe\u0301'],
  ])('keeps a password exactly as sent: %s', async (_, typed) => {
    const email = `${randomUUID()}@example.org`;
    expect((await create({ email, password: typed })).statusCode).toBe(201);
    expect((await signIn({ email, password: typed })).statusCode).toBe(200);
    expect((await signIn({ email, password: `${typed} ` })).statusCode).toBe(403);
    for (const other of [typed.trim(), typed.normalize('NFC'), typed.normalize('NFKC')]) {
      if (other !== typed) expect((await signIn({ email, password: other })).statusCode).toBe(403);
    }
  });

  test('neither returns nor logs the password', async () => {
    const response = await create({ email: 'quiet@example.org', password: 'never to be logged' });
    expect(response.body).not.toMatch(/argon2|never to be logged/);
    expect(service.logLines.join('')).not.toMatch(/argon2|never to be logged/);
  });
});

describe('POST /api/v1/users: refused', () => {
  test('of several simultaneous creates with one e-mail, in upper or lower case, one returns 201 and the others 409', async () => {
    const email = `${randomUUID()}@example.org`;
    const spellings = [email, email.toUpperCase(), email];
    const responses = await Promise.all(spellings.map((spelling) => create({ email: spelling, password })));
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409]);
    for (const response of responses.filter(({ statusCode }) => statusCode === 409)) {
      expectProblem(response, { status: 409, code: 'email-in-use' });
      expect(response.body).not.toContain(email);
    }
  });
});

test('GET /api/v1/users/{id} returns 200 for the id in upper case', async () => {
  const url = `/api/v1/users/${admin.userId.toUpperCase()}`;
  const response = await admin.get(url);
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ id: admin.userId, role: 'admin', disabled: false, lastSignInAt: null });
});

describe('GET /api/v1/users', () => {
  test('lists the newest user first, without password data', async () => {
    // Newer than those of the other tests.
    const others = [3, 1, 2].map((ms) => aUser({ createdAt: new Date(Date.now() + 60_000 + ms) }));
    for (const user of others) await service.backend.users.insert(user);
    const response = await admin.get('/api/v1/users?pageSize=3');
    expect(response.statusCode).toBe(200);
    const { items, ...rest } = response.json();
    expect(rest).toMatchObject({ page: 1, pageSize: 3, hasNext: true });
    const expected = [others[0]?.id, others[2]?.id, others[1]?.id];
    expect(items.map(({ id }: { id: string }) => id)).toEqual(expected);
    expect(Object.keys(items[0])).toEqual([
      'id',
      'email',
      'name',
      'role',
      'disabled',
      'mustChangePassword',
      'identity',
      'createdAt',
      'lastSignInAt',
    ]);
    expect(response.body).not.toContain('argon2');
  });
});
