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
});
