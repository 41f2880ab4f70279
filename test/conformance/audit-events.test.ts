import { randomUUID } from 'node:crypto';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { anAuditEvent, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const firstHundred = { offset: 0, limit: 100 };

/** What `collection.test.ts` does not have. */
describe('audit events', async () => {
  const testBackend = await openSharedBackend();
  const events = () => testBackend.backend.auditEvents;

  test('are returned unchanged, also after a reopen', async () => {
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
    for (const event of [bare, full, withoutTarget]) expect(await events().insert(event)).toBe(true);
    await testBackend.reopen();
    expect(await events().list({ 'target.id': targetId }, firstHundred)).toEqual([full, bare]);
    expect(await events().list({ 'actor.id': withoutTarget.actor.id ?? '' }, firstHundred)).toEqual([withoutTarget]);
  });

  test('never change, and are stored once', async () => {
    const event = anAuditEvent();
    expect(await events().insert(event)).toBe(true);
    expect(await events().insert({ ...event, action: 'user.created', before: null, unlisted: 99 })).toBe(false);
    expect(await events().list({ 'actor.id': event.actor.id ?? '' }, firstHundred)).toEqual([event]);
  });

  test('are kept until they expire', async () => {
    const [kept, expired] = [anAuditEvent(), anAuditEvent({ expiresAt: new Date(Date.now() - 1) })];
    for (const event of [kept, expired]) await events().insert(event);
    await testBackend.backend.removeExpired(new Date());
    expect(await events().get(kept.id)).toEqual(kept);
    // MongoDB's TTL index removes it within about a minute: `removeExpired` does nothing there.
    if (testBackend.backend.kind === 'embedded') expect(await events().get(expired.id)).toBeNull();
  });

  test('have ids that sort by time, also within one millisecond', () => {
    const ids = Array.from({ length: 100 }, () => createUuidV7());
    expect([...ids].sort()).toEqual(ids);
  });
});
