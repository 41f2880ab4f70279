import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

let service: TestApp;
/** Look-ups in the store, by digest. */
const lookUpCounts = new Map<string, number>();
/** While not null, look-ups of unknown sessions wait until a test releases them. */
let held: (() => void)[] | null = null;
beforeAll(async () => {
  service = await openTestApp({
    replace: ({ sessions }) => ({
      sessions: overrideMethod(sessions, 'get', async (digest) => {
        lookUpCounts.set(digest, (lookUpCounts.get(digest) ?? 0) + 1);
        const session = await sessions.get(digest);
        if (session !== null) return session;
        await new Promise<void>((resolve) => {
          if (held === null) resolve();
          else held.push(resolve);
        });
        return null;
      }),
    }),
  });
});
afterAll(() => service.close());

const anId = () => randomBytes(32).toString('base64url');
const get = (url: string, cookie: string, remoteAddress: string) =>
  service.inject({ method: 'GET', url, headers: { cookie }, remoteAddress });

// Requests for widgets know sessions from another cache.
describe.each(['/api/v1/session', '/api/v1/widgets'])('a session cookie of a GET %s that is not known', (url) => {
  const getSession = (cookie: string, remoteAddress: string) => get(url, cookie, remoteAddress);
  const sendId = (id: string) => getSession(`service_console=${id}`, '198.51.100.1');

  test('is looked up once, however often it is sent', async () => {
    const id = anId();
    for (let sent = 0; sent < 5; sent += 1) {
      expectProblem(await sendId(id), { status: 403, code: 'not-authenticated' });
    }
    expect(lookUpCounts.get(sha256Hex(id))).toBe(1);
  });

  test('is looked up once for many simultaneous requests', async () => {
    const id = anId();
    await Promise.all(Array.from({ length: 50 }, () => sendId(id)));
    expect(lookUpCounts.get(sha256Hex(id))).toBe(1);
  });

  test('costs at most 20 look-ups at once, and does not delay the sessions of others', async () => {
    const user = await service.signedIn('viewer');
    expect((await getSession(user.cookie, '203.0.113.1')).statusCode).toBe(200);
    const fresh = await service.signedIn('viewer');
    held = [];
    const flood = Promise.all(Array.from({ length: 200 }, () => sendId(anId())));
    await eventually(async () => held?.length === 20, '20 look-ups run');
    expect((await getSession(user.cookie, '203.0.113.1')).statusCode).toBe(200);
    expect(held).toHaveLength(20);
    // The new session waits for a slot, but not behind the whole flood.
    let isAnswered = false;
    const answer = getSession(fresh.cookie, '203.0.113.2').finally(() => {
      isAnswered = true;
    });
    let released = 0;
    while (!isAnswered && released < 60) {
      held.shift()?.();
      released += 1;
      await sleep(5);
    }
    expect((await answer).statusCode).toBe(200);
    expect(released).toBeLessThan(60);
    expect(held.length).toBeLessThanOrEqual(20);
    const finish = held;
    held = null;
    for (const release of finish) release();
    // A look-up that waited for 1.8 s is given up.
    for (const { statusCode } of await flood) expect([403, 503]).toContain(statusCode);
  });
});

describe.each(['/api/v1/session', '/api/v1/widgets'])('a new session of a GET %s', (url) => {
  const getSession = (cookie: string, remoteAddress: string) => get(url, cookie, remoteAddress);
  const sendId = (id: string) => getSession(`service_console=${id}`, '198.51.100.1');

  test('is known at once after each sign-in, also from an address that sends unknown cookies', async () => {
    const user = await createPasswordUser(service, 'correct horse battery', { remoteAddress: '198.51.100.1' });
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => sendId(anId())));
      const { cookie } = await user.startSession();
      expect((await getSession(cookie, '203.0.113.3')).statusCode).toBe(200);
    }
  });

  test('ends at once: a signed-out session is not looked up again', async () => {
    const user = await service.signedIn('viewer');
    expect((await getSession(user.cookie, '203.0.113.1')).statusCode).toBe(200);
    await user.delete('/api/v1/session');
    const before = lookUpCounts.get(sha256Hex(user.sessionId)) ?? 0;
    for (let sent = 0; sent < 3; sent += 1) {
      expectProblem(await getSession(user.cookie, '203.0.113.1'), { status: 403, code: 'not-authenticated' });
    }
    expect((lookUpCounts.get(sha256Hex(user.sessionId)) ?? 0) - before).toBe(1);
  });
});
