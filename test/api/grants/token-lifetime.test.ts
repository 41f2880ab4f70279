import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { makeStartSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const dayMs = 86_400_000;
const clock = createManualClock();
let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ clock, tokenMaxLifetimeMs: 30 * dayMs });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

/** Starts a session at the time of the manual clock, which other sessions may not live to see. */
async function startSession() {
  const start = makeStartSession({ sessions: service.backend.sessions, clock, sessionLifetimeMs: dayMs });
  const { sessionId } = await start(admin.userId);
  return { cookie: `service_console=${sessionId}`, 'x-csrf-token': computeCsrfToken(sessionId) };
}

const inDays = (days: number, extraMs = 0) => new Date(clock.now().getTime() + days * dayMs + extraMs).toISOString();

describe.each(grantKinds)('$path with TOKEN_MAX_LIFETIME_MS', ({ path, selectStore }) => {
  const send = async (method: 'POST' | 'PATCH', url: string, payload: object) =>
    service.inject({ method, url, headers: await startSession(), payload });
  const create = (members: object) => send('POST', path, { name: 'mine', ...members });
  const expectTooLate = (response: Awaited<ReturnType<typeof create>>) => {
    const errors = [{ pointer: '#/expiresAt', code: 'too-large' }];
    expectProblem(response, { status: 400, code: 'invalid-request', errors });
  };

  test('a grant created without an expiry gets the latest one; a later one is rejected', async () => {
    for (const members of [{}, { expiresAt: null }]) {
      expect((await create(members)).json()).toMatchObject({ expiresAt: inDays(30), tokenIssuedAt: inDays(0) });
    }
    expect((await create({ expiresAt: inDays(30) })).json()).toMatchObject({ expiresAt: inDays(30) });
    expect((await create({ expiresAt: inDays(1) })).json()).toMatchObject({ expiresAt: inDays(1) });
    const response = await create({ expiresAt: inDays(30, 1) });
    expectTooLate(response);
    expect(response.json().errors[0].detail).toContain(inDays(30));
  });

  test('a change counts from the issue of the token; a rotation starts anew', async () => {
    const { id } = (await create({ expiresAt: inDays(1) })).json();
    const url = `${path}/${id}`;
    clock.advance(dayMs / 2);
    expectTooLate(await send('PATCH', url, { expiresAt: inDays(30) }));
    expect((await send('PATCH', url, { name: 'other' })).json()).toMatchObject({ expiresAt: inDays(0.5) });
    expect((await send('PATCH', url, { expiresAt: null })).json()).toMatchObject({ expiresAt: inDays(29.5) });
    const rotated = (await send('POST', `${url}/rotate`, {})).json();
    expect(rotated).toMatchObject({ expiresAt: inDays(29.5), tokenIssuedAt: inDays(0) });
    expect((await send('PATCH', url, { expiresAt: inDays(30) })).json()).toMatchObject({ expiresAt: inDays(30) });
  });

  test('a grant from before the limit keeps its expiry until it is rotated', async () => {
    const { id } = (await create({})).json();
    const grants = selectStore(service.backend);
    const url = `${path}/${id}`;
    await grants.update(id, { expiresAt: null });
    expect((await send('PATCH', url, { name: 'other' })).json()).toMatchObject({ expiresAt: null });
    expect((await send('POST', `${url}/rotate`, {})).json()).toMatchObject({ expiresAt: inDays(30) });
    await grants.update(id, { expiresAt: new Date(inDays(90)) });
    clock.advance(31 * dayMs);
    expectTooLate(await send('PATCH', url, { expiresAt: null }));
    const rotated = (await send('POST', `${url}/rotate`, {})).json();
    expect(rotated).toMatchObject({ expiresAt: inDays(30) });
    expect((await grants.get(id))?.expiresAt?.toISOString()).toBe(rotated.expiresAt);
  });
});
