import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';

/** A failed sign-in from an address. */
export function buildAuditEvent(overrides: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: randomUUID(),
    occurredAt: new Date(),
    action: 'session.failed',
    operation: 'example.session.create',
    outcome: 'refused',
    code: 'invalid-credentials',
    actor: { kind: 'anonymous', id: null },
    actorName: null,
    target: null,
    targetName: null,
    clientAddress: '198.51.100.7',
    emailHmac: 'a'.repeat(64),
    before: null,
    after: null,
    requestId: randomUUID(),
    unlisted: 0,
    ...overrides,
  };
}
