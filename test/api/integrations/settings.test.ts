import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const path = '/api/v1/integrations';
const create = (chosen: object) =>
  service.inject({ method: 'POST', url: path, headers: admin.headers, payload: { name: 'shop', ...chosen } });
const change = async (chosen: object) => {
  const { id } = (await create({})).json();
  return service.inject({ method: 'PATCH', url: `${path}/${id}`, headers: admin.headers, payload: chosen });
};

describe.each([
  ['POST', create],
  ['PATCH', change],
])('by %s', (_, send) => {
  test.each<[object, object]>([
    [{ deduplicateByContent: false }, { deduplicateByContent: false }],
    [{ deduplicateByContent: null }, { deduplicateByContent: true }],
    [{ rate: 1 }, { rate: 1 }],
    [{ rate: 1_000_000 }, { rate: 1_000_000 }],
    [{ rate: null }, { rate: null }],
  ])('%j is taken', async (chosen, expected) => {
    const response = await send(chosen);
    expect([200, 201]).toContain(response.statusCode);
    expect(response.json()).toMatchObject(expected);
    expect(await service.backend.integrations.get(response.json().id)).toMatchObject(expected);
  });

  test.each<[object, string, string]>([
    [{ deduplicateByContent: 'no' }, '#/deduplicateByContent', 'type'],
    [{ rate: 0 }, '#/rate', 'too-small'],
    [{ rate: -1 }, '#/rate', 'too-small'],
    [{ rate: 1_000_001 }, '#/rate', 'too-large'],
    [{ rate: 1.5 }, '#/rate', 'type'],
    [{ rate: '1' }, '#/rate', 'type'],
  ])('%j is refused', async (chosen, pointer, code) => {
    expectProblem(await send(chosen), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });
});

test('hooks with equal content are two where they are not to count as one', async () => {
  const { token, id } = (await create({})).json();
  const post = async () => {
    const response = await service.inject({
      method: 'POST',
      url: `/api/v1/events/hooks/${token}`,
      payload: { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { n: 1 } },
    });
    return [response.statusCode, response.headers['webhook-event-id']];
  };
  expect(await post()).toEqual(await post());
  await service.inject({
    method: 'PATCH',
    url: `${path}/${id}`,
    headers: admin.headers,
    payload: { deduplicateByContent: false },
  });
  const { token: fresh } = (
    await service.inject({ method: 'POST', url: `${path}/${id}/rotate`, headers: admin.headers })
  ).json();
  const postFresh = async () => {
    const response = await service.inject({
      method: 'POST',
      url: `/api/v1/events/hooks/${fresh}`,
      payload: { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { n: 1 } },
    });
    return [response.statusCode, response.headers['webhook-event-id']];
  };
  expect(await postFresh()).not.toEqual(await postFresh());
});
