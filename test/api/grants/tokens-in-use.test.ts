import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openTestService, type TestService } from '../../drivers/app/test-service.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

let service: TestService;
let admin: ConsoleClient;
beforeAll(async () => {
  service = await openTestService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
  admin = await signIn(service.url);
});
afterAll(() => service.close());

const postForStatus = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(`${service.url}${path}`, { ...request, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
};
const createWidgetStatus = (token: string) =>
  postForStatus('/api/v1/widgets', { name: 'lamp' }, { authorization: `Bearer ${token}` });
const sendHookStatus = (token: string) =>
  postForStatus(`/api/v1/events/hooks/${token}`, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });

async function rotate(path: string, overlapSeconds: number): Promise<string> {
  const response = await admin.request('POST', `${path}/rotate`, { overlapSeconds });
  return ((await response.json()) as { token: string }).token;
}

describe('tokens in use', () => {
  test('DELETE /api/v1/provision-tokens/{id} ends a token that is in use', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    expect(await createWidgetStatus(token)).toBe(201);
    expect((await admin.request('DELETE', `/api/v1/provision-tokens/${id}`)).status).toBe(204);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the token is rejected');
  });

  test('POST /api/v1/provision-tokens/{id}/rotate without overlap ends a token that is in use; the new one works', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    expect(await createWidgetStatus(token)).toBe(201);
    const newToken = await rotate(`/api/v1/provision-tokens/${id}`, 0);
    expect(await createWidgetStatus(newToken)).toBe(201);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the previous token is rejected');
    expect(await createWidgetStatus(newToken)).toBe(201);
  });

  test('POST /api/v1/integrations/{id}/rotate ends a token in use with the overlap; the new one works', async () => {
    const { id, token } = await admin.createIntegration('shop');
    expect(await sendHookStatus(token)).toBe(202);
    const newToken = await rotate(`/api/v1/integrations/${id}`, 2);
    expect([await sendHookStatus(token), await sendHookStatus(newToken)]).toEqual([202, 202]);
    await eventually(async () => (await sendHookStatus(token)) === 400, 'the previous token is rejected');
    expect(await sendHookStatus(newToken)).toBe(202);
  });

  test('PATCH of expiresAt ends a token in use, and removing expiresAt makes it valid again', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    const path = `/api/v1/provision-tokens/${id}`;
    expect(await createWidgetStatus(token)).toBe(201);
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    expect((await admin.request('PATCH', path, { expiresAt })).status).toBe(200);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the token has expired');
    expect((await admin.request('PATCH', path, { expiresAt: null })).status).toBe(200);
    await eventually(async () => (await createWidgetStatus(token)) === 201, 'the token is valid again');
  });
});
