import { expect, test } from 'vitest';
import type { AuditEvent } from '../domain/audit-event.ts';
import { parseAuditEvent, serializeAuditEvent } from './audit-event-codec.ts';

const event: AuditEvent = {
  id: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
  occurredAt: new Date('2026-03-01T10:00:00.123Z'),
  action: 'user.changed',
  operation: 'example.users.update',
  outcome: 'succeeded',
  code: null,
  actor: { kind: 'user', id: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24' },
  actorName: 'Kim Doe',
  target: { kind: 'user', id: 'c3b7a9f0-2f5e-4c1b-9a44-0f6d2f1e7b10' },
  targetName: 'viewer@example.org',
  clientAddress: '198.51.100.7',
  emailHmac: null,
  before: { role: 'viewer' },
  after: { role: 'admin' },
  requestId: null,
  unlisted: 0,
};

test('returns every member of a stored event', () => {
  expect(parseAuditEvent(serializeAuditEvent(event))).toEqual(event);
});
