import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anAuditEvent } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const startedAtMs = Date.now();
const at = (ms: number) => new Date(startedAtMs + ms);
const get = (query: string, { cookie } = admin) =>
  service.inject({ method: 'GET', url: `/api/v1/audit-events?${query}`, headers: { cookie } });
const listIds = async (query: string) => (await get(query)).json().items.map(({ id }: { id: string }) => id);

describe('GET /api/v1/audit-events', () => {
  test('returns each member of an event', async () => {
    const event = anAuditEvent({ unlisted: 3 });
    await service.backend.auditEvents.append([event]);
    const response = await get(`actorId=${event.actor.id}`);
    expect(response.json().items).toEqual([{ ...event, occurredAt: event.occurredAt.toISOString() }]);
  });

  test('filters by actor, target, action and time; ids may be in upper case', async () => {
    const [actorId, targetId] = [randomUUID(), randomUUID()];
    const build = (ms: number, action: 'integration.created' | 'integration.changed', id = targetId) =>
      anAuditEvent({
        action,
        occurredAt: at(ms),
        actor: { kind: 'user', id: actorId },
        target: { kind: 'integration', id },
      });
    const [created, changed] = [build(0, 'integration.created'), build(10, 'integration.changed')];
    const elsewhere = build(20, 'integration.changed', randomUUID());
    await service.backend.auditEvents.append([created, changed, elsewhere]);
    expect(await listIds(`actorId=${actorId.toUpperCase()}`)).toEqual([elsewhere.id, changed.id, created.id]);
    expect(await listIds(`targetId=${targetId}`)).toEqual([changed.id, created.id]);
    expect(await listIds(`targetId=${targetId}&action=integration.created`)).toEqual([created.id]);
    expect(await listIds(`actorId=${actorId}&from=${at(10).toISOString()}`)).toEqual([elsewhere.id, changed.id]);
    expect(await listIds(`actorId=${actorId}&to=${at(10).toISOString()}`)).toEqual([created.id]);
    expect(await listIds(`actorId=${randomUUID()}`)).toEqual([]);
  });

  test('returns pages, the newest first', async () => {
    const actor = { kind: 'user', id: randomUUID() } as const;
    const events = [0, 1, 2].map((ms) => anAuditEvent({ actor, occurredAt: at(ms) }));
    await service.backend.auditEvents.append(events);
    const ids = events.map(({ id }) => id).reverse();
    const first = (await get(`actorId=${actor.id}&pageSize=2`)).json();
    expect(first).toMatchObject({ page: 1, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: true });
    expect(first.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const second = (await get(`actorId=${actor.id}&pageSize=2&page=2`)).json();
    expect(second).toMatchObject({ totalItems: 3, hasNext: false, items: [{ id: ids[2] }] });
    expect((await get(`actorId=${actor.id}&page=9`)).json()).toMatchObject({ items: [], totalItems: 3 });
  });

  test.each(['action=unknown', 'actorId=me', 'targetId=1', 'from=yesterday', 'to=2026-03-01T10:00:00%2B01:00', 'a=b'])(
    'returns 400 for %s',
    async (query) => expectProblem(await get(query), { status: 400, code: 'invalid-request' }),
  );

  test.each(['viewer', 'editor'] as const)('returns 403 to a %s', async (role) => {
    expectProblem(await get('', await service.signedIn(role)), { status: 403, code: 'permission-denied' });
  });

  test('offers no method that changes events', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await service.inject({ method, url: '/api/v1/audit-events', headers: admin.headers });
      expectProblem(response, { status: 405, code: 'method-not-allowed' });
    }
  });
});
