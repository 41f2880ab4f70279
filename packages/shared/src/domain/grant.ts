/** A token as it is kept: never the secret itself. */
export interface GrantToken {
  /** SHA-256 of the token, hexadecimal. */
  readonly digest: string;
  /** What only the token's own holder can open (an integration's signing secret, see sealed-secret.ts); null without. */
  readonly sealedSecret: string | null;
}

/** The token that was replaced, and still works until `expiresAt`. */
export interface PreviousToken extends GrantToken {
  readonly expiresAt: Date;
}

/** What subscriptions, integrations and provision tokens have in common: a right that whoever has its token may use. */
export interface Grant {
  readonly id: string;
  readonly name: string;
  readonly token: GrantToken;
  /** At most one: a further rotation ends it. */
  readonly previousToken: PreviousToken | null;
  /** The whole grant's end; null: none. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Accurate to a minute. */
  readonly lastUsedAt: Date | null;
}

export interface ValidToken {
  readonly token: GrantToken;
  /** From when on the token is no longer good; null: no such time is known yet. */
  readonly validUntil: Date | null;
}

/** The grant's token that has this digest, if it is still good at `now`. */
export function findValidToken(grant: Grant, digest: string, now: Date): ValidToken | null {
  const found = tokenWith(grant, digest);
  return found === null || (found.validUntil !== null && found.validUntil <= now) ? null : found;
}

/** When the replaced token ends: with its overlap, or with the whole grant. Null: there is none. */
export function previousTokenExpiry({ previousToken, expiresAt }: Grant): Date | null {
  return previousToken === null ? null : earlier(previousToken.expiresAt, expiresAt);
}

function tokenWith(grant: Grant, digest: string): ValidToken | null {
  const { token, previousToken, expiresAt } = grant;
  if (token.digest === digest) return { token, validUntil: expiresAt };
  if (previousToken?.digest !== digest) return null;
  return { token: previousToken, validUntil: previousTokenExpiry(grant) };
}

function earlier(time: Date, other: Date | null): Date {
  return other !== null && other < time ? other : time;
}
