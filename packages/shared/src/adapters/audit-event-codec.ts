import type { AuditEvent } from '../domain/audit-event.ts';

/** Returns the stored text of an audit event: JSON on one line. */
export function serializeAuditEvent(event: AuditEvent): string {
  const { id, action, operation, outcome, code, actor, target, clientAddress, emailHmac } = event;
  const { actorName, targetName, before, after, requestId, unlisted } = event;
  return JSON.stringify({
    id,
    occurredAt: event.occurredAt.getTime(),
    action,
    operation,
    outcome,
    code,
    actor,
    actorName,
    target,
    targetName,
    clientAddress,
    emailHmac,
    before,
    after,
    requestId,
    unlisted,
  });
}

/** Returns the event of a text of `serializeAuditEvent`. Throws `SyntaxError` for a text that is not JSON. */
export function parseAuditEvent(text: string): AuditEvent {
  const stored = JSON.parse(text) as Omit<AuditEvent, 'occurredAt'> & { readonly occurredAt: number };
  return { ...stored, occurredAt: new Date(stored.occurredAt) };
}
