import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { TestCaller } from '../../drivers/app/test-app.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const update = (caller: TestCaller, payload: object) =>
  service.patch(`/api/v1/users/${caller.userId}`, payload, caller.headers);

describe('PATCH /api/v1/users/{id} of the last admin', () => {
  test('returns 409 last-admin for the only admin, who stays signed in', async () => {
    await service.signedIn('editor');
    for (const payload of [{ role: 'viewer' }, { disabled: true }, { role: 'viewer', disabled: true }]) {
      expectProblem(await update(admin, payload), { status: 409, code: 'last-admin' });
    }
    const shown = await admin.get('/api/v1/session');
    expect(shown.json()).toMatchObject({ user: { role: 'admin', disabled: false } });
  });

  test('keeps an admin when the last two step down at the same time: one of them is refused, or both', async () => {
    const other = await service.signedIn('admin');
    const responses = await Promise.all([update(admin, { role: 'viewer' }), update(other, { disabled: true })]);
    const refused = responses.filter(({ statusCode }) => statusCode === 409);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) expectProblem(response, { status: 409, code: 'last-admin' });
  });
});
