import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { AuditEventFilter } from '@widget-service/shared/ports/audit-event-store.ts';
import { describe, expect, test } from 'vitest';
import { anAuditEvent, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';

const hourMs = 3_600_000;
const startedAtMs = Date.now();
const at = (ms: number) => new Date(startedAtMs + ms);
const all: AuditEventFilter = { actorId: null, action: null, targetId: null, from: null, to: null };
const firstHundred = { offset: 0, limit: 100 };
const getIds = (events: readonly AuditEvent[]) => events.map(({ id }) => id);

describe('AuditEventStore', async () => {
  const testBackend = await openSharedBackend({ auditRetentionMs: hourMs });
  const store = () => testBackend.backend.auditEvents;
  const listIds = async (filter: Partial<AuditEventFilter>, range = firstHundred) =>
    getIds(requireReadable(await store().list({ ...all, ...filter }, range)));

  test('returns events unchanged, also after a reopen', async () => {
    const targetId = randomUUID();
    const members = Object.fromEntries(awkwardTexts.map((text) => [text, [text, 1.5, null, { nested: text }]]));
    const full = anAuditEvent({
      actorName: awkwardTexts.join(' '),
      target: { kind: 'subscription', id: targetId },
      targetName: awkwardTexts.toReversed().join(' '),
      before: { ...members, lone: '\ud83e', nul: 'a\u0000b' },
      after: { name: ' new ' },
      unlisted: 7,
    });
    const bare = anAuditEvent({
      occurredAt: new Date(full.occurredAt.getTime() - 1),
      action: 'session.failed',
      operation: null,
      outcome: 'refused',
      code: 'invalid-credentials',
      actor: { kind: 'anonymous', id: null },
      actorName: null,
      target: { kind: 'user', id: targetId },
      targetName: null,
      clientAddress: null,
      emailHmac: 'a'.repeat(64),
      before: null,
      after: null,
      requestId: null,
    });
    const withoutTarget = anAuditEvent({ target: null });
    await store().append([full, bare, withoutTarget]);
    await testBackend.reopen();
    expect(await store().list({ ...all, targetId }, firstHundred)).toEqual([full, bare]);
    const { id: actorId } = withoutTarget.actor;
    expect(await store().list({ ...all, actorId }, firstHundred)).toEqual([withoutTarget]);
  });

  test('lists the newest first in any order of arrival, and by id at the same time', async () => {
    const actor = { kind: 'user', id: randomUUID() } as const;
    const build = (ms: number) => anAuditEvent({ actor, occurredAt: at(ms) });
    const [first, low, high, last] = [build(1), build(2), build(2), build(3)];
    await store().append([high, last]);
    await store().append([first, low]);
    expect(await listIds({ actorId: actor.id })).toEqual(getIds([last, high, low, first]));
    expect(await listIds({ actorId: actor.id }, { offset: 1, limit: 2 })).toEqual(getIds([high, low]));
    expect(await listIds({ actorId: actor.id }, { offset: 4, limit: 2 })).toEqual([]);
  });

  test('stores an event once, even if it is appended again, and then with others', async () => {
    const actor = { kind: 'provision-token', id: randomUUID() } as const;
    const [first, second] = [anAuditEvent({ actor, occurredAt: at(1) }), anAuditEvent({ actor, occurredAt: at(2) })];
    await store().append([first]);
    await store().append([first, second, second]);
    expect(await listIds({ actorId: actor.id })).toEqual(getIds([second, first]));
  });

  test('never changes a stored event', async () => {
    const event = anAuditEvent();
    await store().append([event]);
    await store().append([{ ...event, action: 'user.created', before: null, unlisted: 99 }]);
    expect(await store().list({ ...all, actorId: event.actor.id }, firstHundred)).toEqual([event]);
  });

  test('accepts an empty list', async () => {
    await store().append([]);
  });

  test('filters by actor, action, target and time, alone and together', async () => {
    const [actorId, otherId, targetId] = [randomUUID(), randomUUID(), randomUUID()];
    const build = (ms: number, id: string, action: AuditEvent['action'], target: string) =>
      anAuditEvent({
        occurredAt: at(ms),
        actor: { kind: 'user', id },
        action,
        target: { kind: 'integration', id: target },
      });
    const created = build(10, actorId, 'integration.created', targetId);
    const changed = build(20, actorId, 'integration.changed', targetId);
    const byOther = build(30, otherId, 'integration.changed', targetId);
    const elsewhere = build(40, actorId, 'integration.changed', randomUUID());
    await store().append([created, changed, byOther, elsewhere]);
    expect(await listIds({ actorId })).toEqual(getIds([elsewhere, changed, created]));
    expect(await listIds({ targetId })).toEqual(getIds([byOther, changed, created]));
    expect(await listIds({ targetId, action: 'integration.changed' })).toEqual(getIds([byOther, changed]));
    expect(await listIds({ targetId, actorId, action: 'integration.changed' })).toEqual(getIds([changed]));
    // `from` is included, `to` is not.
    expect(await listIds({ targetId, from: at(20) })).toEqual(getIds([byOther, changed]));
    expect(await listIds({ targetId, to: at(20) })).toEqual(getIds([created]));
    expect(await listIds({ actorId, from: at(20), to: at(40) })).toEqual(getIds([changed]));
    expect(await listIds({ actorId: randomUUID() })).toEqual([]);
    const inTime = await listIds({ from: at(10), to: at(11) });
    expect(inTime).toContain(created.id);
    expect(inTime).not.toContain(changed.id);
    expect(await listIds({ action: 'integration.created', from: at(10), to: at(11) })).toEqual([created.id]);
  });

  test('counts what it lists, up to the given number', async () => {
    const actor = { kind: 'user', id: randomUUID() } as const;
    await store().append(Array.from({ length: 5 }, () => anAuditEvent({ actor })));
    expect(await store().count({ ...all, actorId: actor.id }, 100)).toBe(5);
    expect(await store().count({ ...all, actorId: actor.id }, 3)).toBe(3);
    expect(await store().count({ ...all, actorId: randomUUID() }, 3)).toBe(0);
    expect(await store().count(all, 2)).toBe(2);
  });

  test('keeps an event until its retention is over', async () => {
    const [kept, expired] = [
      anAuditEvent({ occurredAt: new Date(Date.now() - hourMs + 600_000) }),
      anAuditEvent({ occurredAt: new Date(Date.now() - hourMs - 1) }),
    ];
    await store().append([kept, expired]);
    await testBackend.backend.removeExpired(new Date());
    expect(await listIds({ actorId: kept.actor.id })).toEqual([kept.id]);
    // MongoDB's TTL index removes it within about a minute: `removeExpired` does nothing there.
    if (testBackend.backend.kind === 'embedded') expect(await listIds({ actorId: expired.actor.id })).toEqual([]);
  });

  test('gives ids that sort by time to events of one millisecond', () => {
    const ids = Array.from({ length: 100 }, () => createUuidV7());
    expect([...ids].sort()).toEqual(ids);
  });
});
