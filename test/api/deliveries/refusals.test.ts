import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { aRefusal } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const service = await openSharedApp({ limits: { hooks: { ratePerSecond: 0.001, burst: 20 } } });
const admin = await service.signedIn('admin');

const buildPath = (integrationId: string, query = '') => `/api/v1/integrations/${integrationId}/refusals${query}`;
const get = (url: string, { cookie } = admin) => service.get(url, { cookie });
const list = async (integrationId: string) => (await get(buildPath(integrationId))).json().items;
const sending = { method: 'POST', remoteAddress: '198.51.100.7' } as const;
const post = (token: string, payload: object, headers: Record<string, string> = {}) =>
  service.inject({ ...sending, url: `/api/v1/events/hooks/${token}`, headers, payload });

/** Waits until the list has this many refusals, and returns them. */
async function listOnce(integrationId: string, count: number) {
  await eventually(async () => (await list(integrationId)).length === count, `${count} refusals are listed`);
  return list(integrationId);
}

// Each one waits for refusals of its own.
describe.concurrent('GET /api/v1/integrations/{id}/refusals', () => {
  test('lists a refused hook with the problem that its sender got', async () => {
    const { token, integrationId } = await service.issueHookToken();
    const payload = { kind: 'exploded', payload: { card: '4111-1111' } };
    const response = await post(token, payload, { 'webhook-id': 'm1' });
    expectProblem(response, { status: 400, code: 'invalid-request' });
    const problem = response.json();
    expect(await listOnce(integrationId, 1)).toEqual([
      {
        requestId: problem.requestId,
        refusedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        code: 'invalid-request',
        status: 400,
        detail: problem.detail,
        errors: problem.errors,
        clientAddress: '198.51.100.7',
        webhookId: 'm1',
        unlisted: 0,
      },
    ]);
    const body = JSON.stringify(await list(integrationId));
    for (const secret of [token, '4111', 'exploded']) expect(body).not.toContain(secret);
  });

  test('lists one refusal per second and code, and counts the others', async () => {
    const { token, integrationId } = await service.issueHookToken();
    for (let index = 0; index < 20; index += 1) await post(token, {});
    for (let index = 0; index < 5; index += 1) await post(token, {});
    let items: { code: string; unlisted: number }[] = [];
    const count = (code: string) =>
      items.filter((item) => item.code === code).reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
    await eventually(async () => {
      items = await list(integrationId);
      return count('invalid-request') === 20 && count('rate-limited') === 5;
    }, 'all 25 refusals are counted');
    expect(items.find(({ code }) => code === 'rate-limited')).toMatchObject({
      status: 429,
      errors: [],
      webhookId: null,
    });
    // A busy machine may need more than a second for the 25 requests.
    expect(items.length).toBeLessThan(10);
  });

  test('lists neither accepted hooks nor those with an unknown token', async () => {
    const { token, integrationId } = await service.issueHookToken();
    await post(mintToken('wht'), {});
    expect((await post(token, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' })).statusCode).toBe(202);
    await post(token, {});
    expect(await listOnce(integrationId, 1)).toMatchObject([{ code: 'invalid-request', unlisted: 0 }]);
  });

  test('returns pages, the newest first', async () => {
    const { integrationId } = await service.issueHookToken();
    const startedAtMs = Date.now();
    const refusals = [0, 1, 2].map((ms) => aRefusal({ integrationId, refusedAt: new Date(startedAtMs + ms) }));
    for (const refusal of refusals) await service.backend.refusals.insert(refusal);
    const ids = refusals.map(({ requestId }) => requestId).reverse();
    const first = (await get(buildPath(integrationId, '?pageSize=2'))).json();
    expect(first).toMatchObject({ page: 1, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: true });
    expect(first.items.map(({ requestId }: { requestId: string }) => requestId)).toEqual(ids.slice(0, 2));
    const second = (await get(buildPath(integrationId, '?pageSize=2&page=2'))).json();
    expect(second).toMatchObject({ hasNext: false });
    expect(second.items.map(({ requestId }: { requestId: string }) => requestId)).toEqual(ids.slice(2));
  });
});

test('a store of refusals that hangs or fails neither delays nor changes the response', async () => {
  let calls = 0;
  const replaced = await openTestApp({
    replace: ({ refusals }) => ({
      refusals: Object.assign(Object.create(refusals), {
        insert: () => {
          calls += 1;
          return calls === 1 ? Promise.reject(new UnavailableError('broken')) : new Promise(() => undefined);
        },
      }),
    }),
  });
  const { token } = await replaced.issueHookToken();
  const url = `/api/v1/events/hooks/${token}`;
  const expectRefusal = async () => {
    const startedAtMs = performance.now();
    expectProblem(await replaced.post(url, {}), {
      status: 400,
      code: 'invalid-request',
    });
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  };
  await expectRefusal();
  await eventually(async () => calls === 2, 'the recorder has written twice');
  await expectRefusal();
  // Closing does not wait for the store either.
  await replaced.close();
});
