import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { createManualClock, type ManualClock } from '../../drivers/tools/manual-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const password = 'correct horse battery';
const clock: ManualClock = createManualClock();
const user = aUser();
let recordedTimes: Date[];
/** When false, writes to the store fail with a timeout, while reads succeed. */
let isWritable: boolean;
const service = await openSharedApp({
  clock,
  replace: ({ sessions }) => ({
    sessions: overrideMethod(sessions, 'change', async (digest, decide) => {
      recordedTimes.push(clock.now());
      return isWritable
        ? sessions.change(digest, decide)
        : withDeadline(new Promise(() => {}), requestDeadlineMs, 'touch');
    }),
  }),
});
const passwordHash = await new PasswordHasher().hash(password);
await service.backend.users.insert({ ...user, passwordHash });
beforeEach(() => {
  recordedTimes = [];
  isWritable = true;
});

async function signIn(): Promise<{ cookie: string; expiresAt: string }> {
  const payload = { email: user.email, password };
  const response = await service.post('/api/v1/session', payload);
  return { cookie: String(response.headers['set-cookie']).split(';')[0] ?? '', expiresAt: response.json().expiresAt };
}

const show = (cookie: string) => service.get('/api/v1/session', { cookie });

describe('session expiry', () => {
  test('ends a session 12 hours after its last use', async () => {
    const [used, unused] = [await signIn(), await signIn()];
    clock.advance(12 * hourMs - 1);
    expect((await show(used.cookie)).statusCode).toBe(200);
    clock.advance(1);
    expect((await show(used.cookie)).statusCode).toBe(200);
    expectProblem(await show(unused.cookie), { status: 403, code: 'not-authenticated' });
    clock.advance(12 * hourMs - 2);
    expect((await show(used.cookie)).statusCode).toBe(200);
  });

  test('ends a session after 7 days even when it is in use', async () => {
    const signedInAt = clock.now().getTime();
    const { cookie, expiresAt } = await signIn();
    expect(Date.parse(expiresAt)).toBe(signedInAt + 168 * hourMs);
    for (let hours = 0; hours < 160; hours += 10) {
      clock.advance(10 * hourMs);
      const shown = await show(cookie);
      expect(shown.json()).toMatchObject({ expiresAt, user: { id: user.id } });
    }
    clock.advance(8 * hourMs - 1);
    expect((await show(cookie)).statusCode).toBe(200);
    clock.advance(1);
    expectProblem(await show(cookie), { status: 403, code: 'not-authenticated' });
  });

  test('ends a session whose user is not known', async () => {
    const id = randomBytes(32).toString('base64url');
    const createdAt = clock.now();
    await service.backend.sessions.insert({
      ...{ id: randomUUID(), digest: sha256Hex(id), userId: randomUUID(), device: null, address: null },
      ...{ createdAt, lastSeenAt: createdAt, expiresAt: new Date(createdAt.getTime() + hourMs) },
    });
    expectProblem(await show(`service_console=${id}`), { status: 403, code: 'not-authenticated' });
  });

  test('records the use of a session once a minute', async () => {
    const { cookie } = await signIn();
    const startMs = clock.now().getTime();
    for (let seconds = 0; seconds < 180; seconds += 5) {
      expect((await show(cookie)).statusCode).toBe(200);
      clock.advance(5_000);
    }
    expect(recordedTimes.map((at) => at.getTime() - startMs)).toEqual([minuteMs, 2 * minuteMs]);
    const stored = await service.backend.sessions.get(sha256Hex(cookie.slice('service_console='.length)));
    expect(stored?.lastSeenAt).toEqual(recordedTimes[1]);
  });

  test('lists widgets although the use of the session cannot be recorded', async () => {
    const { cookie } = await signIn();
    clock.advance(minuteMs);
    isWritable = false;
    const listed = await service.get('/api/v1/widgets', { cookie });
    expect(listed.statusCode).toBe(200);
    expect(recordedTimes).toHaveLength(1);
  });
});
