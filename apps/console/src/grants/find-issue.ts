import type { Schemas } from '../service/service.ts';
import type { Grant, GrantPath } from './grant-kind.ts';

type AuditEvent = Schemas['AuditEvent'];

const kinds = {
  '/api/v1/subscriptions': 'subscription',
  '/api/v1/integrations': 'integration',
  '/api/v1/provision-tokens': 'provision-token',
} as const;

/** No request takes longer from its start, which is the time of its audit event, to the new secret. */
const requestMsMax = 60_000;

/** Returns the query of the audit events among which is the one that issued the current secret of a grant. */
export function toIssueQuery(path: GrantPath, { id, createdAt, tokenIssuedAt }: Grant) {
  const issuedAtMs = Date.parse(tokenIssuedAt);
  const action: AuditEvent['action'] = `${kinds[path]}.${tokenIssuedAt === createdAt ? 'created' : 'token-rotated'}`;
  return {
    targetId: id,
    action,
    from: new Date(issuedAtMs - requestMsMax).toISOString(),
    // The service lists what is before this time.
    to: new Date(issuedAtMs + 1).toISOString(),
  };
}

/** Returns who issued the secret, or null if no event says so: the newest event before it is that of the secret. */
export function findIssuer(events: readonly Pick<AuditEvent, 'outcome' | 'actorName'>[]): string | null {
  return events.find(({ outcome }) => outcome === 'succeeded')?.actorName ?? null;
}
