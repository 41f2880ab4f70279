import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';

const ada = { email: 'ada@example.com', password: 'a long walk on the beach' };
const bob = { email: 'bob@example.com', password: 'nine green bottles' };
let areAnnouncementsFailing = false;
const service = await openSharedApp({
  replace: ({ control }) => ({
    control: {
      openTail: () => control.openTail(),
      announce: async (entry) => {
        if (areAnnouncementsFailing) throw new UnavailableError('the control log is unavailable');
        await control.announce(entry);
      },
    },
  }),
});
const passwords = new PasswordHasher();
for (const { email, password } of [ada, bob]) {
  await service.backend.users.insert(aUser({ email, passwordHash: await passwords.hash(password), role: 'viewer' }));
}

const send = (payload: object, cookie?: string) =>
  service.post('/api/v1/session', payload, cookie === undefined ? {} : { cookie });

async function signIn(user: object, cookie?: string): Promise<string> {
  const response = await send(user, cookie);
  expect(response.statusCode).toBe(200);
  return readCookie(response);
}

const readCookie = ({ headers }: TestResponse) => String(headers['set-cookie']).split(';')[0] ?? '';

const showStatus = async (cookie: string) => (await service.get('/api/v1/session', { cookie })).statusCode;

describe('POST /api/v1/session with the cookie of a session', () => {
  test.each([
    ['the same user', ada],
    ['another user', bob],
  ])('ends that session when %s signs in', async (_, next) => {
    const before = await signIn(ada);
    const after = await signIn(next, before);
    expect(await showStatus(before)).toBe(403);
    expect(await showStatus(after)).toBe(200);
  });

  test('keeps that session, and every other one, when the sign-in fails', async () => {
    const before = await signIn(ada);
    expect((await send({ ...ada, password: 'wrong' }, before)).statusCode).toBe(403);
    expect(await showStatus(before)).toBe(200);
  });

  test('keeps the other sessions of the user', async () => {
    const elsewhere = await signIn(ada);
    await signIn(ada, await signIn(ada));
    expect(await showStatus(elsewhere)).toBe(200);
  });

  test('ends the streams of that session', async () => {
    const before = await signIn(ada);
    const tail = service.backend.control.openTail();
    await tail.next();
    await signIn(ada, before);
    let entries = (await tail.next()).entries;
    while (entries.length === 0) entries = (await tail.next()).entries;
    await tail.close();
    expect(entries).toEqual([{ kind: 'session', id: expect.stringMatching(/^[\da-f]{64}$/), change: 'revoked' }]);
  });

  test('succeeds and ends that session although the end of its streams cannot be announced', async () => {
    const before = await signIn(ada);
    areAnnouncementsFailing = true;
    const after = await signIn(ada, before).finally(() => {
      areAnnouncementsFailing = false;
    });
    expect([await showStatus(before), await showStatus(after)]).toEqual([403, 200]);
  });

  test.each([
    ['an unknown session', `service_console=${'a'.repeat(43)}`],
    ['a malformed session', 'service_console=x'],
    ['two sessions', 'service_console=a; service_console=b'],
  ])('succeeds with the cookie of %s', async (_, cookie) => {
    expect(await showStatus(await signIn(ada, cookie))).toBe(200);
  });
});
