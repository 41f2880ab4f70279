import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { StreamHolder } from '../revocation/stream-entitlement.ts';

/** What is known of a stream when it opens. */
export interface OpenedStream {
  readonly holder: StreamHolder;
  readonly clientAddress: string | null;
  readonly requestId: string;
}

/**
 * Records the end of a stream in the audit trail if its token or session was revoked. The pod that held the stream
 * calls it. The event of the revocation itself names the actor; both have the same target.
 */
export function recordStreamEnd(
  audit: Pick<AuditTrail, 'sample'>,
  occurredAt: Date,
  { holder, clientAddress, requestId }: OpenedStream,
  reason: string,
): void {
  if (reason !== 'revoked') return;
  audit.sample({
    id: createUuidV7(),
    occurredAt,
    action: 'stream.ended',
    operation: holder.kind === 'subscription' ? 'example.events.stream' : 'example.session.stream',
    outcome: 'succeeded',
    code: null,
    actor: { kind: 'system', id: null },
    actorName: null,
    target:
      holder.kind === 'subscription' ? { kind: 'subscription', id: holder.id } : { kind: 'user', id: holder.userId },
    // The event of the revocation has the name.
    targetName: null,
    clientAddress,
    emailHmac: null,
    before: null,
    after: { reason },
    requestId,
    unlisted: 0,
  });
}
