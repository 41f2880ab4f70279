import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const clock = createManualClock();
const service = await openSharedApp({ clock });
const admin = await service.signedIn('admin');

const path = '/api/v1/integrations';
const send = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
  service.inject({ method, url, headers: admin.headers, ...(payload === undefined ? {} : { payload }) });
const create = async () => (await send('POST', path, { name: 'shop' })).json();

async function postHook(token: string): Promise<number> {
  const payload = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
  return (await service.post(`/api/v1/events/hooks/${token}`, payload)).statusCode;
}

const readLastReceivedAt = async (id: string): Promise<string | null> =>
  (await send('GET', `${path}/${id}`)).json().lastReceivedAt;

describe('POST /api/v1/events/hooks/{token}: lifecycle of the token', () => {
  test('rejects hooks after expiresAt, and accepts them again when expiresAt is removed', async () => {
    const { id, token } = await create();
    const expiresAt = new Date(clock.now().getTime() + 600_000).toISOString();
    expect((await send('PATCH', `${path}/${id}`, { expiresAt })).json().expiresAt).toBe(expiresAt);
    expect(await postHook(token)).toBe(202);
    clock.advance(600_000);
    expect(await postHook(token)).toBe(400);
    await send('PATCH', `${path}/${id}`, { expiresAt: null });
    // No task of this app reads the control log, so the pod remembers for one minute that the token was rejected.
    clock.advance(60_000);
    expect(await postHook(token)).toBe(202);
  });

  test('records lastReceivedAt at most once a minute', async () => {
    const { id, token } = await create();
    expect(await readLastReceivedAt(id)).toBeNull();
    const firstAt = clock.now().toISOString();
    await postHook(token);
    await eventually(async () => (await readLastReceivedAt(id)) === firstAt, 'lastReceivedAt is recorded');
    clock.advance(59_999);
    await postHook(token);
    expect(await readLastReceivedAt(id)).toBe(firstAt);
    clock.advance(1);
    await postHook(token);
    await eventually(
      async () => (await readLastReceivedAt(id)) === clock.now().toISOString(),
      'the later lastReceivedAt is recorded',
    );
  });

  test('does not record lastReceivedAt for a rejected hook', async () => {
    const { id, token } = await create();
    const url = `/api/v1/events/hooks/${token}`;
    expect((await service.post(url, { kind: 'gone' })).statusCode).toBe(400);
    const { id: otherId, token: otherToken } = await create();
    await postHook(otherToken);
    await eventually(
      async () => (await readLastReceivedAt(otherId)) !== null,
      'lastReceivedAt of the other integration is recorded',
    );
    expect(await readLastReceivedAt(id)).toBeNull();
  });
});
