import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import type { TestCaller } from '../../drivers/app/test-app.ts';
import { startSession } from '../../drivers/app/test-app.ts';
import { openAppWithWatchedControlLog } from '../../drivers/app/watched-control-log.ts';

const { service, control } = await openAppWithWatchedControlLog();
beforeEach(() => {
  control.announced.length = 0;
  control.isUnavailable = false;
});
afterAll(() => service.close());

const url = '/api/v1/sessions';
const ownUrl = '/api/v1/session';
const signOutEverywhere = ({ headers }: TestCaller) => service.delete(url, headers);
const isSignedIn = async (cookie: string) => (await service.get('/api/v1/session', { cookie })).statusCode === 200;

async function startAnotherSession({ userId }: TestCaller): Promise<string> {
  return `service_console=${await startSession(service.backend, userId, { sessionLifetimeMs: 60_000 })}`;
}

describe('DELETE /api/v1/sessions', () => {
  test('returns 204, ends every session of the caller and no other, and clears the cookie', async () => {
    const [user, other] = [await service.signedIn('viewer'), await service.signedIn('viewer')];
    const otherCookie = await startAnotherSession(user);
    const response = await signOutEverywhere(user);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers['set-cookie']).toBe('service_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect(await isSignedIn(user.cookie)).toBe(false);
    expect(await isSignedIn(otherCookie)).toBe(false);
    expect(await isSignedIn(other.cookie)).toBe(true);
    expect(control.announced).toEqual([{ kind: 'user', id: user.userId, change: 'revoked' }]);
    expectProblem(await signOutEverywhere(user), { status: 403, code: 'not-authenticated' });
  });
});

describe('DELETE /api/v1/session', () => {
  test('returns 204 and ends only the session of the request', async () => {
    const user = await service.signedIn('viewer');
    const otherCookie = await startAnotherSession(user);
    const response = await user.delete('/api/v1/session');
    expect(response.statusCode).toBe(204);
    expect(await isSignedIn(user.cookie)).toBe(false);
    expect(await isSignedIn(otherCookie)).toBe(true);
    expect(control.announced).toMatchObject([{ kind: 'session', change: 'revoked' }]);
    expect(JSON.stringify(control.announced)).not.toContain(user.sessionId);
  });
});

test('DELETE /api/v1/sessions and /api/v1/session: return 503 but end the sessions while the control log is unavailable', async () => {
  control.isUnavailable = true;
  for (const path of ['/api/v1/sessions', '/api/v1/session']) {
    const user = await service.signedIn('viewer');
    const response = await user.delete(path);
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(await isSignedIn(user.cookie)).toBe(false);
  }
});

describe('/api/v1/session', () => {
  test('GET returns 200 with the user, the permissions and the CSRF token', async () => {
    const viewer = await service.signedIn('viewer');
    const response = await viewer.get(ownUrl);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      user: { id: viewer.userId, role: 'viewer', lastSignInAt: null },
      permissions: ['widgets:read'],
      csrfToken: viewer.csrfToken,
    });
  });
});
