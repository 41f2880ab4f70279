import { randomUUID } from 'node:crypto';
import type { StoredAuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import { describe, expect, test } from 'vitest';
import { anAuditEvent } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const startedAtMs = Date.now();
const at = (ms: number) => new Date(startedAtMs + ms);
const insertAll = (...events: readonly StoredAuditEvent[]) =>
  Promise.all(events.map((event) => service.backend.auditEvents.insert(event)));
const get = (query: string, { cookie } = admin) => service.get(`/api/v1/audit-events?${query}`, { cookie });
const listIds = async (query: string) => (await get(query)).json().items.map(({ id }: { id: string }) => id);

describe('GET /api/v1/audit-events', () => {
  test('returns each member of an event', async () => {
    const { expiresAt, ...event } = anAuditEvent({ unlisted: 3 });
    await insertAll({ ...event, expiresAt });
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
    await insertAll(created, changed, elsewhere);
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
    await insertAll(...events);
    const ids = events.map(({ id }) => id).reverse();
    const first = (await get(`actorId=${actor.id}&pageSize=2`)).json();
    expect(first).toMatchObject({ page: 1, pageSize: 2, totalItems: 3, totalPages: 2, hasNext: true });
    expect(first.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const second = (await get(`actorId=${actor.id}&pageSize=2&page=2`)).json();
    expect(second).toMatchObject({ totalItems: 3, hasNext: false, items: [{ id: ids[2] }] });
    expect((await get(`actorId=${actor.id}&page=9`)).json()).toMatchObject({ items: [], totalItems: 3 });
  });
});
