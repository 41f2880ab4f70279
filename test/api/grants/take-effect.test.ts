import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../../drivers/console-client.ts';
import { eventually } from '../../drivers/eventually.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
let admin: ConsoleClient;
beforeAll(async () => {
  service = await openTestService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
  admin = await signIn(service.url);
});
afterAll(() => service.close());

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(`${service.url}${path}`, { ...request, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
};
const createBy = (token: string) => post('/api/v1/widgets', { name: 'lamp' }, { authorization: `Bearer ${token}` });
const hookBy = (token: string) =>
  post(`/api/v1/events/hooks/${token}`, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });

async function rotate(path: string, overlapSeconds: number): Promise<string> {
  const response = await admin.request('POST', `${path}/rotate`, { overlapSeconds });
  return ((await response.json()) as { token: string }).token;
}

test('a deleted provision token in use creates nothing any more', async () => {
  const { id, token } = await admin.createProvisionToken('script');
  expect(await createBy(token)).toBe(201);
  expect((await admin.request('DELETE', `/api/v1/provision-tokens/${id}`)).status).toBe(204);
  await eventually(async () => (await createBy(token)) === 403, 'the token is refused');
});

test('a provision token in use that is replaced without an overlap ends, and its successor works', async () => {
  const { id, token } = await admin.createProvisionToken('script');
  expect(await createBy(token)).toBe(201);
  const fresh = await rotate(`/api/v1/provision-tokens/${id}`, 0);
  expect(await createBy(fresh)).toBe(201);
  await eventually(async () => (await createBy(token)) === 403, 'the old token is refused');
  expect(await createBy(fresh)).toBe(201);
});

test('a hook address in use ends with the overlap of its rotation, and the new one works', async () => {
  const { id, token } = await admin.createIntegration('shop');
  expect(await hookBy(token)).toBe(202);
  const fresh = await rotate(`/api/v1/integrations/${id}`, 2);
  expect([await hookBy(token), await hookBy(fresh)]).toEqual([202, 202]);
  await eventually(async () => (await hookBy(token)) === 400, 'the old address takes no more hooks');
  expect(await hookBy(fresh)).toBe(202);
});

test('an end that is put on a token in use is kept to, and put off again it works on', async () => {
  const { id, token } = await admin.createProvisionToken('script');
  const path = `/api/v1/provision-tokens/${id}`;
  expect(await createBy(token)).toBe(201);
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  expect((await admin.request('PATCH', path, { expiresAt })).status).toBe(200);
  await eventually(async () => (await createBy(token)) === 403, 'the token has ended');
  expect((await admin.request('PATCH', path, { expiresAt: null })).status).toBe(200);
  await eventually(async () => (await createBy(token)) === 201, 'the token works again');
});
