import { z } from 'zod';
import { defineEntity, type EntityOf, jsonText, storedTime, storedUuid } from './define-entity.ts';
import { count, record } from './shape-checks.ts';

/** Everything that an audit event can be about: a closed list. The texts are stored, and clients see them. */
export const auditActions = [
  'session.created',
  'session.failed',
  'session.ended',
  'password.changed',
  'user.created',
  'user.changed',
  'subscription.created',
  'subscription.changed',
  'subscription.token-rotated',
  'subscription.revoked',
  'integration.created',
  'integration.changed',
  'integration.token-rotated',
  'integration.mapping-changed',
  'integration.secrets-replaced',
  'integration.samples-kept',
  'integration.samples-deleted',
  'integration.revoked',
  'provision-token.created',
  'provision-token.changed',
  'provision-token.token-rotated',
  'provision-token.revoked',
  'delivery.redriven',
  'delivery.discarded',
  'quarantined-text.discarded',
  'widget.created',
  'stream.ended',
  'access.refused',
] as const;

/**
 * `anonymous`: a request whose sender is not known. `identity-provider`: it gave a user or a role at a sign-in.
 * `system`: the service itself, without a request.
 */
export const auditActorKinds = ['user', 'provision-token', 'anonymous', 'identity-provider', 'system'] as const;

export const auditTargetKinds = [
  'user',
  'subscription',
  'integration',
  'provision-token',
  'delivery',
  'quarantined-text',
  'widget',
] as const;

/**
 * - `succeeded`: it took place.
 * - `refused`: it did not take place. `code` says why.
 * - `failed`: the service could not finish it, and the client got `code`. The change may have taken place.
 */
export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const;

/** Members of a resource as JSON values, by name. Never a secret, token or password, nor a digest of one. */
export type AuditMembers = Readonly<Record<string, unknown>>;

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
    /** For a request: when its handler began. */
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
    /** The resource that was changed. Null if there is none, or if it is not known. */
    target: z.object({ kind: z.enum(auditTargetKinds), id: storedUuid }).nullable(),
    /** The target's name at that time. Null if it has none, or if it is not known. */
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
    /** How many further events like it were counted and not stored: see `AuditTrail`. */
    unlisted: z.custom<number>(count),
  }),
});

export type StoredAuditEvent = EntityOf<typeof auditEventEntity>;
/** An event before it is stored. */
export type AuditEvent = Omit<StoredAuditEvent, 'expiresAt'>;

/** Returns the name by which audit events show a user. */
export function toAuditName({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name ?? email;
}

/** Returns the members that differ, before and after the change. Both are null if none differs. */
export function pickChangedMembers(
  before: AuditMembers,
  after: AuditMembers,
): { readonly before: AuditMembers | null; readonly after: AuditMembers | null } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return { before: null, after: null };
  const pick = (members: AuditMembers) => Object.fromEntries(changed.map((name) => [name, members[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
