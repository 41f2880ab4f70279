import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { anAuditEvent } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** What `collection.test.ts` does not have. */
describe('audit events', async () => {
  const testBackend = await openSharedBackend();
  const events = () => testBackend.backend.auditEvents;

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
