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
 * - `failed`: the service could not finish it, and the client got `code`. It may have taken place all the same.
 */
export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const;

/** Members of a resource as JSON values, by name. Never a secret, token or password, nor a digest of one. */
export type AuditMembers = Readonly<Record<string, unknown>>;

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
