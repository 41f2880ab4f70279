import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

const hourMs = 3_600_000;
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const list = (headers: Record<string, string>) => service.inject({ method: 'GET', url: '/api/v1/widgets', headers });

/** Stores a session; the times are relative to now, in milliseconds. */
async function insertSession(userId: string, lastSeenMs: number, expiresMs: number): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  await service.backend.sessions.insert({
    id: randomUUID(),
    digest: sha256Hex(id),
    userId,
    device: null,
    address: null,
    createdAt: new Date(Date.now() - 100 * hourMs),
    lastSeenAt: new Date(Date.now() + lastSeenMs),
    expiresAt: new Date(Date.now() + expiresMs),
  });
  return id;
}

describe('GET /api/v1/widgets: no valid session', () => {
  test.each([
    ['no cookie', {}],
    ['a malformed cookie', { cookie: 'service_console=abc' }],
    ['an unknown session', { cookie: `service_console=${'a'.repeat(43)}` }],
    ['a Bearer token', { authorization: 'Bearer wpt_abc' }],
  ])('returns 403 not-authenticated for %s', async (_, headers) => {
    expectProblem(await list(headers as Record<string, string>), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 not-authenticated for two session cookies, even equal ones', async () => {
    const { cookie } = await service.signedIn('viewer');
    expectProblem(await list({ cookie: `${cookie}; ${cookie}` }), { status: 403, code: 'not-authenticated' });
  });

  test('returns 403 not-authenticated for an expired or idle session, and 200 for one in use', async () => {
    const { userId } = await service.signedIn('viewer');
    const expired = await insertSession(userId, -1, -1);
    const idle = await insertSession(userId, -12 * hourMs, hourMs);
    const inUse = await insertSession(userId, -11 * hourMs, hourMs);
    expectProblem(await list({ cookie: `service_console=${expired}` }), { status: 403, code: 'not-authenticated' });
    expectProblem(await list({ cookie: `service_console=${idle}` }), { status: 403, code: 'not-authenticated' });
    expect((await list({ cookie: `service_console=${inUse}` })).statusCode).toBe(200);
    const stored = await service.backend.sessions.find(sha256Hex(inUse));
    expect(Date.now() - (stored?.lastSeenAt.getTime() ?? 0)).toBeLessThan(60_000);
  });

  test('returns 403 not-authenticated for a session of an unknown user', async () => {
    const id = await insertSession('00000000-0000-4000-8000-000000000000', 0, hourMs);
    expectProblem(await list({ cookie: `service_console=${id}` }), { status: 403, code: 'not-authenticated' });
  });
});
