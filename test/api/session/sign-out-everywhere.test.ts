import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { makeStartSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
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
});
beforeEach(() => {
  announced = [];
  isLogAway = false;
});
afterAll(() => service.close());

const url = '/api/v1/sessions';
const signOutEverywhere = ({ headers }: TestCaller) => service.inject({ method: 'DELETE', url, headers });
const isSignedIn = async (cookie: string) =>
  (await service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie } })).statusCode === 200;

async function anotherSessionOf({ userId }: TestCaller): Promise<string> {
  const start = makeStartSession({
    sessions: service.backend.sessions,
    clock: systemClock,
    sessionLifetimeMs: 60_000,
  });
  return `service_console=${(await start(userId)).sessionId}`;
}

describe('204', () => {
  test('ends all sessions of the caller, nobody else’s, and clears the cookie', async () => {
    const [person, other] = [await service.signedIn('viewer'), await service.signedIn('viewer')];
    const elsewhere = await anotherSessionOf(person);
    const response = await signOutEverywhere(person);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers['set-cookie']).toBe('service_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect(await isSignedIn(person.cookie)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await isSignedIn(other.cookie)).toBe(true);
    expect(announced).toEqual([{ kind: 'user', id: person.userId, change: 'revoked' }]);
    expectProblem(await signOutEverywhere(person), { status: 403, code: 'not-authenticated' });
  });

  test('signing out of one session leaves the others', async () => {
    const person = await service.signedIn('viewer');
    const elsewhere = await anotherSessionOf(person);
    const response = await service.inject({ method: 'DELETE', url: '/api/v1/session', headers: person.headers });
    expect(response.statusCode).toBe(204);
    expect(await isSignedIn(person.cookie)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(true);
    expect(announced).toMatchObject([{ kind: 'session', change: 'revoked' }]);
    expect(JSON.stringify(announced)).not.toContain(person.sessionId);
  });
});

test('503: the pods cannot be told; the sessions are over all the same', async () => {
  isLogAway = true;
  for (const path of ['/api/v1/sessions', '/api/v1/session']) {
    const person = await service.signedIn('viewer');
    const response = await service.inject({ method: 'DELETE', url: path, headers: person.headers });
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(await isSignedIn(person.cookie)).toBe(false);
  }
});
