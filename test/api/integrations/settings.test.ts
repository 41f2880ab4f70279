import { expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const path = '/api/v1/integrations';

test('two hooks with equal content are two events with deduplicateByContent: false, and one with null', async () => {
  const { token, id } = (await admin.post(path, { name: 'shop', deduplicateByContent: null })).json();
  expect(await postHook(token)).toBe(await postHook(token));
  await admin.patch(`${path}/${id}`, { deduplicateByContent: false });
  const { token: newToken } = (await admin.post(`${path}/${id}/rotate`)).json();
  expect(await postHook(newToken)).not.toBe(await postHook(newToken));
  expect((await admin.patch(`${path}/${id}`, { deduplicateByContent: null })).json().deduplicateByContent).toBe(true);
});

/** Posts the same hook each time, and returns its event id. */
async function postHook(token: string): Promise<unknown> {
  const response = await service.post(`/api/v1/events/hooks/${token}`, {
    kind: 'updated',
    occurredAt: '2026-03-01T10:00:00Z',
    payload: { n: 1 },
  });
  expect(response.statusCode).toBe(202);
  return response.headers['webhook-event-id'];
}
