import { z } from 'zod';
import type { EventFilter } from '../domain/event-filter.ts';
import { widgetEventTypes } from '../domain/event-kind.ts';
import { permissions } from '../domain/role.ts';
import { pickEarlier } from '../domain/timestamp.ts';
import { widgetStates } from '../domain/widget.ts';
import { defineEntity, type EntityOf, jsonText, storedTime, storedUuid } from './define-entity.ts';
import { storedHookSource } from './hook-source.ts';

/** A token as stores keep it: its digest, never the token itself. */
const grantToken = z.object({
  /** SHA-256 of the token, hexadecimal. */
  digest: z.string(),
  /** The secrets of an integration, sealed for the token (sealed-secrets.ts). Null if there are none. */
  sealedSecret: z.string().nullable(),
});

/**
 * What subscriptions, integrations and provision tokens have in common. A client that presents the token may use the
 * grant.
 */
const grantMembers = {
  id: storedUuid,
  name: z.string(),
  token: grantToken,
  /** When `token` was issued: at the creation or the last rotation. */
  tokenIssuedAt: storedTime,
  /**
   * The token from before the last rotation: valid until its `expiresAt`, or until the grant expires if that is
   * earlier. There is at most one: the next rotation replaces it.
   */
  previousToken: grantToken.extend({ expiresAt: storedTime }).nullable(),
  /** When the grant and all its tokens expire. Null: never. */
  expiresAt: storedTime.nullable(),
  createdAt: storedTime,
  /** The id of the user that created it. */
  createdBy: storedUuid,
  /** Accurate to a minute: a pod writes it at most once a minute. */
  lastUsedAt: storedTime.nullable(),
};

function defineGrant<Name extends string, Own extends z.ZodRawShape>(name: Name, own: Own) {
  return defineEntity({
    name,
    key: 'id',
    namedBy: 'id',
    order: ['createdAt', 'id'],
    indexes: { previous_token: ['previousToken.digest'] },
    unique: { token: ['token.digest'] },
    members: z.object({ ...grantMembers, ...own }),
  });
}

/** A grant to open streams, with a filter. */
export const subscriptionEntity = defineGrant('subscriptions', {
  filter: z.object({
    types: z.array(z.enum(widgetEventTypes)).nullable(),
    widgetIds: z.array(storedUuid).nullable(),
    states: z.array(z.enum(widgetStates)).nullable(),
    labels: z.array(z.string()).nullable(),
  }) satisfies z.ZodType<EventFilter>,
});

/**
 * A grant to post hooks. Without a `source`, they must be signed if the token has a sealed secret. With one, the source
 * says how they are signed, and the secrets are sealed with each token (`sealed-secrets.ts`).
 */
export const integrationEntity = defineGrant('integrations', {
  /** Whether two hooks without an id or key are duplicates if their content is the same. */
  deduplicateByContent: z.boolean(),
  /** Hooks per second. Null: the service's setting `HOOK_RATE_PER_SECOND`. */
  rate: z.int().nonnegative().nullable(),
  /** How it understands a foreign sender. Null: its hooks are those of the interface. */
  source: jsonText(storedHookSource).nullable(),
  /** Until when refused requests of its sender are kept as they were sent. Null: none are. */
  samplesKeptUntil: storedTime.nullable().default(null),
});

/**
 * A grant to use the API without signing in, within `permissions`: today only to create widgets. A script sends its
 * token as `Authorization: Bearer`.
 */
export const provisionTokenEntity = defineGrant('provisionTokens', { permissions: z.array(z.enum(permissions)) });

export type Subscription = EntityOf<typeof subscriptionEntity>;
export type Integration = EntityOf<typeof integrationEntity>;
export type ProvisionToken = EntityOf<typeof provisionTokenEntity>;
export type Grant = Omit<ProvisionToken, 'permissions'>;
/** What an integration has beyond what all grants have. */
export type IntegrationMembers = Omit<Integration, keyof Grant>;
export type GrantToken = Grant['token'];

interface ValidToken {
  readonly token: GrantToken;
  /** The token is invalid from this time on. Null: no end is set. */
  readonly validUntil: Date | null;
}

/** Returns the grant's token with this digest if it is valid at `now`, else null. */
export function findValidToken(grant: Grant, digest: string, now: Date): ValidToken | null {
  const match = findToken(grant, digest);
  return match === null || (match.validUntil !== null && match.validUntil <= now) ? null : match;
}

/**
 * Returns when the previous token expires: at the end of its overlap or of the grant, whichever is earlier. Returns
 * null if there is no previous token. The result may be in the past.
 */
export function previousTokenExpiry({ previousToken, expiresAt }: Grant): Date | null {
  return previousToken === null ? null : pickEarlier(expiresAt, previousToken.expiresAt);
}

function findToken(grant: Grant, digest: string): ValidToken | null {
  const { token, previousToken, expiresAt } = grant;
  if (token.digest === digest) return { token, validUntil: expiresAt };
  if (previousToken?.digest !== digest) return null;
  return { token: previousToken, validUntil: previousTokenExpiry(grant) };
}

/**
 * Selects the grant with a token that is valid at this time, for `Collection.find`. The store itself filters, so that
 * to read an expired token takes as long as to read an unknown one: response times reveal nothing.
 */
export function whereTokenIsValid(digest: string, now: Date) {
  const current = { 'token.digest': digest };
  const previous = { 'previousToken.digest': digest, 'previousToken.expiresAt': { above: now } };
  return [current, previous].flatMap((token) => [null, { above: now }].map((expiresAt) => ({ ...token, expiresAt })));
}
