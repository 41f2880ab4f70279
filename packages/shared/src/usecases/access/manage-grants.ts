import { ServiceError } from '../../domain/errors.ts';
import { mintSigningSecret, sealAgain, sealSecrets } from '../../domain/sealed-secrets.ts';
import { pickEarlier } from '../../domain/timestamp.ts';
import { mintToken, sha256Hex } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { Grant, GrantToken, Integration } from '../../entities/grant.ts';
import { type Collection, insertNew } from '../../ports/collection.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';

const tokenPrefixes = { subscription: 'wst', integration: 'wht', 'provision-token': 'wpt' } as const;

export interface ManageGrantsDeps<Own extends object> {
  readonly grants: Pick<Collection<Grant & Own>, 'insert' | 'get' | 'change' | 'remove'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: keyof typeof tokenPrefixes;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a token may live after it was issued, in milliseconds. Null, the default: without limit. */
  readonly tokenMaxLifetimeMs?: number | null;
  /** Deletes other records of a deleted grant. Default: none. */
  readonly deleteKept?: (id: string) => Promise<void>;
}

/** How the secrets of a token are made. */
interface SecretOptions {
  /** The signing secret that the sender wants. Default: a new one is made. */
  readonly dictatedSecret?: string | null;
  /** The secrets of a foreign sender. Null, the default: no foreign sender. */
  readonly sourceSecrets?: readonly string[] | null;
}

/** Who creates a grant, and how its token is made. */
export interface TokenIssue extends SecretOptions {
  /** See `Grant.createdBy`. */
  readonly createdBy: string;
  /** Whether the token gets a signing secret. */
  readonly isSigned: boolean;
}

export interface Rotation extends SecretOptions {
  /** How long the replaced token stays valid, in seconds. 0: it becomes invalid at once. */
  readonly overlapSeconds: number;
  /** Whether the new token has a signing secret; null: only if the replaced one has. */
  readonly isSigned: boolean | null;
}

/** The members of a grant that the caller chooses. */
export type NewGrant<Own extends object> = Own & Pick<Grant, 'name' | 'expiresAt'>;

/** The secrets of a new token. The caller shows them once: the store holds only the digest and the sealed secret. */
interface IssuedSecrets {
  readonly token: string;
  /** The new secret that the holder signs hooks with (`whsec_…`); null for an unsigned token or a dictated secret. */
  readonly signingSecret: string | null;
}

/** A grant with a new token. Its secrets are available only here. */
export interface IssuedGrant<Own extends object> extends IssuedSecrets {
  readonly grant: Grant & Own;
}

/** The wanted `expiresAt` is later than the token may live. */
export class ExpiryTooLateError extends ServiceError {
  constructor(latest: Date) {
    super(
      'invalid-request',
      `Must be at most ${latest.toISOString()}: the service limits how long a token lives after it was issued. To keep the grant for longer, rotate its token first.`,
    );
    this.name = 'ExpiryTooLateError';
  }
}

/**
 * What admins do to the grants of one kind. `Own` are the members of that kind beyond those that all grants have. Every
 * pod hears of a change. All methods throw `UnavailableError`: the change may be stored then, and the caller can repeat
 * the call.
 */
export class ManageGrants<Own extends object> {
  readonly #deps: ManageGrantsDeps<Own>;

  constructor(deps: ManageGrantsDeps<Own>) {
    this.#deps = deps;
  }

  /**
   * Creates a grant with its token, and with a signing secret if `isSigned`. A grant without an expiry expires when the
   * lifetime of its token ends, if that is limited. Throws `ExpiryTooLateError`.
   */
  async issue(newGrant: NewGrant<Own>, { createdBy, isSigned, ...options }: TokenIssue): Promise<IssuedGrant<Own>> {
    const now = this.#deps.clock.now();
    const expiresAt = limitExpiry(newGrant.expiresAt, this.#findLatestExpiry(now), now);
    const { issued, stored } = this.#mintToken(isSigned, options);
    const grant = {
      ...newGrant,
      expiresAt,
      id: createUuidV7(),
      token: stored,
      tokenIssuedAt: now,
      previousToken: null,
      createdAt: now,
      createdBy,
      lastUsedAt: null,
    };
    await insertNew<Grant & Own>(this.#deps.grants, grant);
    return { grant, ...issued };
  }

  /**
   * Changes the given members. Returns the changed grant, or null if there is no such grant. Throws
   * `ExpiryTooLateError`, and changes nothing, if the current token may not live that long.
   */
  async change(id: string, changes: Partial<NewGrant<Own>>): Promise<(Grant & Own) | null> {
    const { grants, clock } = this.#deps;
    if (Object.keys(changes).length === 0) return grants.get(id);
    const grant = await grants.change(id, ({ tokenIssuedAt }) => {
      const { expiresAt, ...others } = changes;
      if (expiresAt === undefined) return others as Partial<Grant & Own>;
      const limited = limitExpiry(expiresAt, this.#findLatestExpiry(tokenIssuedAt), clock.now());
      return { ...others, expiresAt: limited } as Partial<Grant & Own>;
    });
    if (grant !== null) await this.#announce(id, 'changed');
    return grant;
  }

  /**
   * Rotates the token: the replaced one becomes the previous token, valid for an overlap. Concurrent rotations replace
   * each other's tokens in turn. Returns null if there is no such grant. A grant that expires never, or after the
   * lifetime of the new token, then expires with that lifetime.
   *
   * Throws an `Error` if the grant has a foreign sender and the caller sent no secrets, or the reverse: the stored
   * secrets are sealed with the old token, which the store does not have.
   *
   * If the change could not be announced, the caller never gets the new token. So the replaced one, which the sender
   * still uses, is restored, and a repeated rotation gives it the overlap. With an overlap of 0 nothing is restored:
   * the replaced token must stay invalid.
   */
  async rotate(id: string, { overlapSeconds, isSigned, ...options }: Rotation): Promise<IssuedGrant<Own> | null> {
    const { grants, clock } = this.#deps;
    const last: { replaced?: { readonly before: Grant; readonly issued: IssuedSecrets } } = {};
    const after = await grants.change(id, (before) => {
      const { sealedSecret } = before.token;
      const isForeign = 'source' in before && before.source !== null;
      if (isForeign !== ((options.sourceSecrets ?? null) !== null))
        throw new Error('secrets are for grants with a foreign sender, and only for them');
      const tokenIssuedAt = clock.now();
      const { issued, stored } = this.#mintToken(isSigned ?? sealedSecret !== null, options);
      last.replaced = { before, issued };
      const overlapEnd = new Date(tokenIssuedAt.getTime() + overlapSeconds * 1_000);
      const previousToken = overlapSeconds === 0 ? null : { ...before.token, expiresAt: overlapEnd };
      const latest = this.#findLatestExpiry(tokenIssuedAt);
      const expiresAt = latest === null ? before.expiresAt : pickEarlier(before.expiresAt, latest);
      return { token: stored, tokenIssuedAt, previousToken, expiresAt } as Partial<Grant & Own>;
    });
    if (after === null || last.replaced === undefined) return null;
    const { before, issued } = last.replaced;
    try {
      await this.#announce(id, 'changed');
    } catch (error) {
      if (after.previousToken !== null) await this.#restoreTokens(before, after);
      throw error;
    }
    return { grant: after, ...issued };
  }

  /**
   * Ends the previous token now. Returns null if there is no such grant; else the grant before, and whether it had a
   * previous token. If not, it announces the end all the same: an earlier call may have ended it and failed to announce
   * it.
   */
  async endPreviousToken(id: string): Promise<{ readonly before: Grant & Own; readonly isEnded: boolean } | null> {
    const last: { before?: Grant & Own } = {};
    const after = await this.#deps.grants.change(id, (before) => {
      last.before = before;
      return before.previousToken === null ? null : ({ previousToken: null } as Partial<Grant & Own>);
    });
    if (last.before === undefined) return null;
    await this.#announce(id, 'changed');
    return { before: last.before, isEnded: after !== null };
  }

  /**
   * Removes a grant, and what is kept of it. Returns false if there was no such grant. Then it does the rest all the
   * same: an earlier call may have removed the grant and failed afterwards.
   */
  async revoke(id: string): Promise<boolean> {
    const isRemoved = await this.#deps.grants.remove(id);
    await this.#announce(id, 'revoked');
    await this.#deps.deleteKept?.(id);
    return isRemoved;
  }

  #announce(id: string, change: ControlEntry['change']): Promise<void> {
    return this.#deps.control.announce({ kind: this.#deps.kind, id, change });
  }

  /** Returns the latest time at which a token may expire. Null: there is no limit. */
  #findLatestExpiry(tokenIssuedAt: Date): Date | null {
    const { tokenMaxLifetimeMs = null } = this.#deps;
    return tokenMaxLifetimeMs === null ? null : new Date(tokenIssuedAt.getTime() + tokenMaxLifetimeMs);
  }

  /**
   * Creates a token, and what the store keeps of it. With `sourceSecrets`, it gets these. Otherwise, if `isSigned`, it
   * gets the dictated signing secret, or without one a new secret of its own.
   */
  #mintToken(
    isSigned: boolean,
    { dictatedSecret = null, sourceSecrets = null }: SecretOptions,
  ): { readonly issued: IssuedSecrets; readonly stored: GrantToken } {
    const token = mintToken(tokenPrefixes[this.#deps.kind]);
    const isOwnScheme = sourceSecrets === null && isSigned;
    const signingSecret = isOwnScheme && dictatedSecret === null ? mintSigningSecret() : null;
    const secrets = sourceSecrets ?? (isOwnScheme ? [dictatedSecret ?? signingSecret ?? ''] : null);
    const sealedSecret = secrets === null ? null : sealSecrets(secrets, token);
    return { issued: { token, signingSecret }, stored: { digest: sha256Hex(token), sealedSecret } };
  }

  /** Restores nothing if another change came meanwhile. */
  async #restoreTokens({ token, tokenIssuedAt, previousToken, expiresAt }: Grant, after: Grant): Promise<void> {
    const show = (grant: Grant) => JSON.stringify([grant.token, grant.previousToken, grant.expiresAt]);
    const members = { token, tokenIssuedAt, previousToken, expiresAt } as Partial<Grant & Own>;
    // After a failure, the caller gets the error of the announcement. The replaced token stays valid for its overlap.
    await this.#deps.grants
      .change(after.id, (current) => (show(current) === show(after) ? members : null))
      .catch(() => undefined);
  }
}

/**
 * Returns the `expiresAt` that a grant gets. Null, which means never, becomes the latest time that the limit allows.
 * Throws `ExpiryTooLateError` if `wanted` is later than that, or if it is null and that time is over.
 */
function limitExpiry(wanted: Date | null, latest: Date | null, now: Date): Date | null {
  if (latest === null) return wanted;
  if (wanted === null ? latest <= now : wanted > latest) throw new ExpiryTooLateError(latest);
  return wanted ?? latest;
}

/**
 * Replaces the secrets of a foreign sender, for the token and the previous one, and announces it to every pod. Returns
 * the changed integration, or null if there is none with this id and a foreign sender. Throws `UnavailableError`: then
 * the secrets may be replaced, and the caller can repeat it.
 */
export async function replaceSourceSecrets(
  integrations: Pick<Collection<Integration>, 'change'>,
  control: Pick<ControlLog, 'announce'>,
  id: string,
  secrets: readonly string[],
): Promise<Integration | null> {
  const seal = <Token extends GrantToken>(token: Token): Token =>
    token.sealedSecret === null ? token : { ...token, sealedSecret: sealAgain(secrets, token.sealedSecret) };
  const after = await integrations.change(id, ({ source, token, previousToken }) =>
    source === null ? null : { token: seal(token), previousToken: previousToken && seal(previousToken) },
  );
  if (after !== null) await control.announce({ kind: 'integration', id, change: 'changed' });
  return after;
}
