import { z } from 'zod';
import {
  type AuditMembers,
  auditActions,
  auditActorKinds,
  auditOutcomes,
  auditTargetKinds,
} from '../domain/audit-event.ts';
import { defineEntity, type EntityOf, jsonText, storedTime, storedUuid } from './define-entity.ts';
import { count, record } from './shape-checks.ts';

const changedMembers = jsonText(z.custom<AuditMembers>(record)).nullable();

/** One entry of the audit trail: who did what, on what, from where, when, and with which outcome. */
export const auditEventEntity = defineEntity({
  name: 'auditEvents',
  key: 'id',
  namedBy: 'id',
  order: ['occurredAt', 'id'],
  indexes: {
    by_action: ['action', '-occurredAt', '-id'],
    by_actor: ['actor.id', '-occurredAt', '-id'],
    by_target: ['target.id', '-occurredAt', '-id'],
  },
  expires: 'expiresAt',
  neverChanges: true,
  members: z.object({
    /** UUIDv7. It identifies the event: to insert the same event again has no effect. */
    id: storedUuid,
    /** For a request: when its work began. */
    occurredAt: storedTime,
    /** `AUDIT_RETENTION_MS` after it occurred. */
    expiresAt: storedTime,
    action: z.enum(auditActions),
    outcome: z.enum(auditOutcomes),
    /** The code of the problem that the client got. Null if the outcome is `succeeded`. */
    code: z.string().nullable(),
    /** Who did it. The id is null unless it is a user or a provision token. Never a secret. */
    actor: z.object({ kind: z.enum(auditActorKinds), id: storedUuid.nullable() }),
    /**
     * The actor's name when it happened: of a user (`toAuditName`) or a provision token. Null if it is not known. Later
     * changes of the name do not change it.
     */
    actorName: z.string().nullable(),
    /** The operation id of the request, such as `example.users.update`. Null without a request. */
    operation: z.string().nullable(),
    /** The resource that it was done to. Null if it has none, or if none is known. */
    target: z.object({ kind: z.enum(auditTargetKinds), id: storedUuid }).nullable(),
    /** The target's name, as `actorName`. Null if it has none, or if none is known. */
    targetName: z.string().nullable(),
    /** The address that rate limits count. Null if it cannot be known, or if the event stands for several addresses. */
    clientAddress: z.string().nullable(),
    /** HMAC-SHA256 of the e-mail of a failed sign-in, hexadecimal. Null for everything else. */
    emailHmac: z.string().nullable(),
    /** The changed members before the change. Null if there was nothing before, or if nothing changed. */
    before: changedMembers,
    /** The changed members after the change. Null if there is nothing left, or if nothing changed. */
    after: changedMembers,
    /** The request that caused it; for `stream.ended`, the request that opened the stream. Null without a request. */
    requestId: storedUuid.nullable(),
    /** How many more events this one stands for: see `AuditTrail`. */
    unlisted: z.custom<number>(count),
  }),
});

export type StoredAuditEvent = EntityOf<typeof auditEventEntity>;
/** An event before it is stored. */
export type AuditEvent = Omit<StoredAuditEvent, 'expiresAt'>;
