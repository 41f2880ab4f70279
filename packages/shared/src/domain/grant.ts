import { pickEarlier } from './timestamp.ts';

/** A token as stores keep it: its digest, never the token itself. */
export interface GrantToken {
  /** SHA-256 of the token, hexadecimal. */
  readonly digest: string;
  /** An integration's signing secret, encrypted under the token (see sealed-secret.ts). Null if there is none. */
  readonly sealedSecret: string | null;
}

/** The token that a rotation replaced. It is valid until `expiresAt`, or until the grant expires if that is earlier. */
export interface PreviousToken extends GrantToken {
  readonly expiresAt: Date;
}

/**
 * The common part of subscriptions, integrations and provision tokens. A client that presents the token may use the
 * grant.
 */
export interface Grant {
  readonly id: string;
  readonly name: string;
  readonly token: GrantToken;
  /** When `token` was issued: at the creation or the last rotation. */
  readonly tokenIssuedAt: Date;
  /** The token from before the last rotation. There is at most one: the next rotation replaces it. */
  readonly previousToken: PreviousToken | null;
  /** When the grant and all its tokens expire. Null: never. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** The id of the user that created it. */
  readonly createdBy: string;
  /** Accurate to a minute: a pod writes it at most once a minute. */
  readonly lastUsedAt: Date | null;
}

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
