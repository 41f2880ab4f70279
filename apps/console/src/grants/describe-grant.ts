import type { JSX } from 'preact';
import { formatClock, isSameDay } from '../parts/format.ts';
import type { Schemas } from '../service/service.ts';

/** What a token gives access to: a stream, an address for hooks, or the creation of widgets. */
export type Grant = Schemas['Subscription'] | Schemas['Integration'] | Schemas['ProvisionToken'];

export type GrantPath = '/api/v1/subscriptions' | '/api/v1/integrations' | '/api/v1/provision-tokens';

/** A grant together with its secrets, which only the answer to a create or a rotation has. */
export interface IssuedGrant {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** By the clock of the service. */
  readonly tokenIssuedAt: string;
  readonly url?: string;
  readonly signingSecret?: string;
  readonly previousExpiresAt?: string | null;
}

/** The grants of one kind: how they are listed, what their form holds, and what follows a new secret. */
export interface GrantKind {
  readonly path: GrantPath;
  /** The page that lists them. */
  readonly listPage: string;
  /** Whether each grant has its own page, below the page of the list. */
  readonly hasPages: boolean;
  readonly title: string;
  /** Says what such a grant is. */
  readonly intro: string;
  /** The text of an empty list. */
  readonly emptyText: string;
  readonly createLabel: string;
  /** Makes what the form holds besides the name and the expiry. Gets the grant, or null for a new one. */
  readonly makeFields?: (grant: Grant | null) => GrantFields;
  /** Shows a new secret. Gets the grant before its rotation, or null for a new one. */
  readonly onIssued: (issued: IssuedGrant, before: Grant | null) => void;
}

export interface GrantFields {
  /** Returns the members that the fields add to the body of a create or change. */
  readonly toBody: () => object;
  readonly Fields: () => JSX.Element;
}

/** Whether the secret from before the last rotation works. */
export function hasOldSecret({ previousExpiresAt }: Grant, nowMs: number): boolean {
  return previousExpiresAt !== null && Date.parse(previousExpiresAt) > nowMs;
}

/** When a grant was last used, or null. Each kind has a name of its own for it. */
export function readLastUsed(grant: Grant): string | null {
  if ('lastConnectedAt' in grant) return grant.lastConnectedAt;
  return 'lastReceivedAt' in grant ? grant.lastReceivedAt : grant.lastUsedAt;
}

/** The orders of a list with their names. */
export const grantOrders = {
  newest: 'Newest first',
  name: 'By name',
  lastUsed: 'Recently used first',
  expires: 'Expiring first',
} as const;
export type GrantOrder = keyof typeof grantOrders;

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Sorts grants, which the service lists newest first. Those that were never used or never expire come last. */
export function sortGrants(grants: readonly Grant[], order: GrantOrder): readonly Grant[] {
  if (order === 'newest') return grants;
  const sortBy = (read: (grant: Grant) => string, direction = 1) =>
    grants.toSorted((one, other) => direction * collator.compare(read(one), read(other)));
  if (order === 'name') return sortBy(({ name }) => name);
  // Times of the service sort by their text.
  if (order === 'expires') return sortBy(({ expiresAt }) => expiresAt ?? '9999');
  return sortBy((grant) => readLastUsed(grant) ?? '', -1);
}

type AuditEvent = Schemas['AuditEvent'];

const auditKinds = {
  '/api/v1/subscriptions': 'subscription',
  '/api/v1/integrations': 'integration',
  '/api/v1/provision-tokens': 'provision-token',
} as const;

/** The most time from the start of a request, which is the time of its audit event, to the issue of the secret. */
const requestMsMax = 60_000;

/** Returns the query of the audit events among which is the one that issued the current secret of a grant. */
export function toIssueQuery(path: GrantPath, { id, createdAt, tokenIssuedAt }: Grant) {
  const issuedAtMs = Date.parse(tokenIssuedAt);
  const action: AuditEvent['action'] = `${auditKinds[path]}.${tokenIssuedAt === createdAt ? 'created' : 'token-rotated'}`;
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

/** Says until when something works that ends within a day: `14:05`, `tomorrow 14:05`. In the chosen time zone. */
export function formatUntil(atMs: number, nowMs: number): string {
  return isSameDay(atMs, nowMs) ? formatClock(atMs) : `tomorrow ${formatClock(atMs)}`;
}

const shownCharacters = 4;
const mask = '•'.repeat(24);

/**
 * Hides a secret, so that a person who looks at the screen cannot copy it: `https://…/hooks/wht_••••8iMs`. Its kind and
 * its last characters stay, so that the owner can compare it. The length of the mask says nothing.
 */
export function maskSecret(secret: string): string {
  // Only a URL has slashes before the secret. The base64 of a signing secret may have some inside.
  const start = /^(?:https?:\/\/.*\/)?(?:[a-z]+_)?/.exec(secret)?.[0] ?? '';
  return `${start}${mask}${secret.slice(start.length).slice(-shownCharacters)}`;
}
