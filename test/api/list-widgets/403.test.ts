import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const hourMs = 3_600_000;
let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

const list = (headers: Record<string, string>) => service.inject({ method: 'GET', url: '/api/v1/widgets', headers });

async function sessionOf(userId: string, lastSeenMs: number, expiresMs: number): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  await service.backend.sessions.insert({
    digest: sha256Hex(id),
    userId,
    createdAt: new Date(Date.now() - 100 * hourMs),
    lastSeenAt: new Date(Date.now() + lastSeenMs),
    expiresAt: new Date(Date.now() + expiresMs),
  });
  return id;
}

test.each([
  ['no cookie', {}],
  ['a malformed cookie', { cookie: 'service_console=abc' }],
  ['an unknown session', { cookie: `service_console=${'a'.repeat(43)}` }],
  ['a Bearer token', { authorization: 'Bearer wpt_abc' }],
])('%s', async (_, headers) => {
  expectProblem(await list(headers as Record<string, string>), { status: 403, code: 'not-authenticated' });
});

test('two cookies, even equal ones', async () => {
  const { cookie } = await service.signedIn('viewer');
  expectProblem(await list({ cookie: `${cookie}; ${cookie}` }), { status: 403, code: 'not-authenticated' });
});

test('a session past its absolute or idle end', async () => {
  const { userId } = await service.signedIn('viewer');
  const expired = await sessionOf(userId, -1, -1);
  const idle = await sessionOf(userId, -12 * hourMs, hourMs);
  const inUse = await sessionOf(userId, -11 * hourMs, hourMs);
  expectProblem(await list({ cookie: `service_console=${expired}` }), { status: 403, code: 'not-authenticated' });
  expectProblem(await list({ cookie: `service_console=${idle}` }), { status: 403, code: 'not-authenticated' });
  expect((await list({ cookie: `service_console=${inUse}` })).statusCode).toBe(200);
  const touched = await service.backend.sessions.find(sha256Hex(inUse));
  expect(Date.now() - (touched?.lastSeenAt.getTime() ?? 0)).toBeLessThan(60_000);
});

test('a session of a user who is not there', async () => {
  const id = await sessionOf('00000000-0000-4000-8000-000000000000', 0, hourMs);
  expectProblem(await list({ cookie: `service_console=${id}` }), { status: 403, code: 'not-authenticated' });
});
