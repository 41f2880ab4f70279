import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDrivenClock } from '../../drivers/driven-clock.ts';
import { eventually } from '../../drivers/eventually.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

const clock = createDrivenClock();
let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ clock });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const path = '/api/v1/integrations';
const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
  service.inject({ method, url, headers: admin.headers, ...(payload === undefined ? {} : { payload }) });
const create = async () => (await send('POST', path, { name: 'shop' })).json();

async function post(token: string): Promise<number> {
  const payload = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
  return (await service.inject({ method: 'POST', url: `/api/v1/events/hooks/${token}`, payload })).statusCode;
}

const lastReceivedAt = async (id: string): Promise<string | null> =>
  (await send('GET', `${path}/${id}`)).json().lastReceivedAt;

test('after a rotation old and new take hooks; when the overlap is over the new one alone does', async () => {
  const { id, token: old } = await create();
  const { token: fresh } = (await send('POST', `${path}/${id}/rotate`, { overlapSeconds: 10 })).json();
  expect([await post(old), await post(fresh)]).toEqual([202, 202]);
  clock.advance(9_999);
  expect([await post(old), await post(fresh)]).toEqual([202, 202]);
  clock.advance(1);
  expect([await post(old), await post(fresh)]).toEqual([400, 202]);
});

test('at its end an integration takes no hooks; put off, it does again', async () => {
  const { id, token } = await create();
  const expiresAt = new Date(clock.now().getTime() + 600_000).toISOString();
  expect((await send('PATCH', `${path}/${id}`, { expiresAt })).json().expiresAt).toBe(expiresAt);
  expect(await post(token)).toBe(202);
  clock.advance(600_000);
  expect(await post(token)).toBe(400);
  await send('PATCH', `${path}/${id}`, { expiresAt: null });
  // This app has no task that reads the control log: what it remembers ends after a minute.
  clock.advance(60_000);
  expect(await post(token)).toBe(202);
});

test('a deleted integration takes no hooks', async () => {
  const { id, token } = await create();
  expect((await send('DELETE', `${path}/${id}`)).statusCode).toBe(204);
  expect(await post(token)).toBe(400);
});

test('lastReceivedAt is accurate to a minute, and no hook waits for it', async () => {
  const { id, token } = await create();
  expect(await lastReceivedAt(id)).toBeNull();
  const firstAt = clock.now().toISOString();
  await post(token);
  await eventually(async () => (await lastReceivedAt(id)) === firstAt, 'the first hook is noted');
  clock.advance(59_999);
  await post(token);
  expect(await lastReceivedAt(id)).toBe(firstAt);
  clock.advance(1);
  await post(token);
  await eventually(async () => (await lastReceivedAt(id)) === clock.now().toISOString(), 'a later one is noted');
});

test('a refused hook is no use of its address', async () => {
  const { id, token } = await create();
  const url = `/api/v1/events/hooks/${token}`;
  expect((await service.inject({ method: 'POST', url, payload: { kind: 'gone' } })).statusCode).toBe(400);
  const { id: other, token: used } = await create();
  await post(used);
  await eventually(async () => (await lastReceivedAt(other)) !== null, 'a later hook of another one is noted');
  expect(await lastReceivedAt(id)).toBeNull();
});
