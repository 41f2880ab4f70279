/** Everything that an audit event can be about: a closed list. The texts are stored, and clients see them. */
export const auditActions = [
  'session.created',
  'session.failed',
  'session.ended',
  'personal-stream.issued',
  'password.changed',
  'user.created',
  'user.changed',
  'user.unlocked',
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
export type AuditAction = (typeof auditActions)[number];

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
export type AuditTargetKind = (typeof auditTargetKinds)[number];

/**
 * - `succeeded`: it took place.
 * - `refused`: it did not take place. `code` says why.
 * - `failed`: the service could not finish it, and the client got `code`. It may have taken place all the same.
 */
export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** Who did it. `id` is null unless it is a user or a provision token. Never a secret. */
export interface AuditActor {
  readonly kind: (typeof auditActorKinds)[number];
  readonly id: string | null;
}

/** The resource that it was done to. */
export interface AuditTarget {
  readonly kind: AuditTargetKind;
  readonly id: string;
}

/** Members of a resource as JSON values, by name. Never a secret, token or password, nor a digest of one. */
export type AuditMembers = Readonly<Record<string, unknown>>;

/** One entry of the audit trail: who did what, on what, from where, when, and with which outcome. */
export interface AuditEvent {
  /** UUIDv7. It identifies the event: to append the same event again has no effect. */
  readonly id: string;
  /** For a request: when its work began. */
  readonly occurredAt: Date;
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The code of the problem that the client got. Null if the outcome is `succeeded`. */
  readonly code: string | null;
  readonly actor: AuditActor;
  /**
   * The actor's name when it happened: of a user (`toAuditName`) or a provision token. Null if it is not known. Later
   * changes of the name do not change it.
   */
  readonly actorName: string | null;
  /** The operation id of the request in the API description, such as `example.users.update`. Null without a request. */
  readonly operation: string | null;
  /** Null if it has none, or if none is known. */
  readonly target: AuditTarget | null;
  /** The target's name, as `actorName`. Null if it has none, or if none is known. */
  readonly targetName: string | null;
  /** The address that rate limits count. Null if it cannot be known, or if the event stands for several addresses. */
  readonly clientAddress: string | null;
  /** HMAC-SHA256 of the e-mail of a failed sign-in, hexadecimal. Null for everything else. */
  readonly emailHmac: string | null;
  /** The changed members before the change. Null if there was nothing before, or if nothing changed. */
  readonly before: AuditMembers | null;
  /** The changed members after the change. Null if there is nothing left, or if nothing changed. */
  readonly after: AuditMembers | null;
  /** The request that caused it; for `stream.ended`, the request that opened the stream. Null without a request. */
  readonly requestId: string | null;
  /** How many more events this one stands for: see `AuditRecorder.sample`. */
  readonly unlisted: number;
}

/** Returns the name by which audit events show a user. */
export function toAuditName({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name ?? email;
}

/** Returns the members that differ, before and after the change. Both are null if none differs. */
export function pickChangedMembers(before: AuditMembers, after: AuditMembers): Pick<AuditEvent, 'before' | 'after'> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return { before: null, after: null };
  const pick = (members: AuditMembers) => Object.fromEntries(changed.map((name) => [name, members[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
