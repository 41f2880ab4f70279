import { mintSigningSecret, sealSecrets } from '../../domain/sealed-secrets.ts';
import { pickEarlier } from '../../domain/timestamp.ts';
import { mintToken, sha256Hex, type TokenPrefix } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { Grant, GrantToken, PreviousToken } from '../../entities/grant.ts';
import { type Collection, insertNew } from '../../ports/collection.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { Clock } from '../../runtime/clock.ts';
import { findLatestExpiry, limitExpiry, type TokenMaxLifetimeMs } from './token-lifetime.ts';

export interface GrantUseCaseDeps<Own extends object> {
  readonly grants: Collection<Grant & Own>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
  /** Left out: without limit. So for the other dependencies of this file. */
  readonly tokenMaxLifetimeMs?: TokenMaxLifetimeMs;
  /** Deletes what is kept of a grant beside it. Left out: nothing is. */
  readonly deleteKept?: (id: string) => Promise<void>;
}

export type GrantUseCases<Own extends object> = ReturnType<typeof makeGrantUseCases<Own>>;

/** Makes the use cases of one kind of grant. `Own` are the members of that kind beyond those that all grants have. */
export function makeGrantUseCases<Own extends object>(deps: GrantUseCaseDeps<Own>) {
  return {
    issue: makeIssueToken<Own>(deps),
    change: makeChangeGrant<Own>(deps),
    rotate: makeRotateToken<Own>(deps),
    endPreviousToken: makeEndPreviousToken<Own>(deps),
    revoke: makeRevokeToken(deps),
  };
}

/** The secrets of a new token. The caller shows them once: the store holds only the digest and the sealed secret. */
interface IssuedSecrets {
  readonly token: string;
  /** The new secret that the holder signs hooks with (`whsec_…`); null for an unsigned token or a dictated secret. */
  readonly signingSecret: string | null;
}

interface MintedToken {
  readonly issued: IssuedSecrets;
  /** What the store keeps of the token. */
  readonly stored: GrantToken;
}

interface SecretOptions {
  readonly isSigned: boolean;
  readonly dictatedSecret: string | null;
  readonly sourceSecrets: readonly string[] | null;
}

/**
 * Creates a token. With `sourceSecrets`, it gets these. Otherwise, if `isSigned`, it gets the dictated signing secret,
 * or without one a new secret of its own.
 */
function mintGrantToken(prefix: TokenPrefix, { isSigned, dictatedSecret, sourceSecrets }: SecretOptions): MintedToken {
  const token = mintToken(prefix);
  const isOwnScheme = sourceSecrets === null && isSigned;
  const signingSecret = isOwnScheme && dictatedSecret === null ? mintSigningSecret() : null;
  const secrets = sourceSecrets ?? (isOwnScheme ? [dictatedSecret ?? signingSecret ?? ''] : null);
  const sealedSecret = secrets === null ? null : sealSecrets(secrets, token);
  return { issued: { token, signingSecret }, stored: { digest: sha256Hex(token), sealedSecret } };
}

/** The members of a grant that the caller chooses. */
export type NewGrant<Own extends object> = Own & Pick<Grant, 'name' | 'expiresAt'>;

/** A grant with a new token. Its secrets are available only here. */
export interface IssuedGrant<Own extends object> extends IssuedSecrets {
  readonly grant: Grant & Own;
}

/** Who creates a grant, and how its token is made. */
export interface TokenIssue {
  /** See `Grant.createdBy`. */
  readonly createdBy: string;
  /** Whether the token gets a signing secret. */
  readonly isSigned: boolean;
  /** The signing secret that the sender wants. Left out: a new one is made. */
  readonly dictatedSecret?: string | null;
  /** The secrets of a foreign sender. Null or left out: it is none. */
  readonly sourceSecrets?: readonly string[] | null;
}

export interface IssueTokenDeps<Own extends object> {
  readonly grants: Pick<Collection<Grant & Own>, 'insert'>;
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
  readonly tokenMaxLifetimeMs?: TokenMaxLifetimeMs;
}

/**
 * Makes the function that creates a grant with its token, and with a signing secret if `isSigned`. A grant without an
 * expiry expires when the lifetime of its token ends, if that is limited. Throws `UnavailableError` and
 * `ExpiryTooLateError`.
 */
export function makeIssueToken<Own extends object>(deps: IssueTokenDeps<Own>) {
  const { grants, prefix, clock, tokenMaxLifetimeMs = null } = deps;
  return async (newGrant: NewGrant<Own>, issue: TokenIssue): Promise<IssuedGrant<Own>> => {
    const { createdBy, isSigned, dictatedSecret = null, sourceSecrets = null } = issue;
    const now = clock.now();
    const expiresAt = limitExpiry(newGrant.expiresAt, findLatestExpiry(now, tokenMaxLifetimeMs), now);
    const { issued, stored } = mintGrantToken(prefix, { isSigned, dictatedSecret, sourceSecrets });
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
    await insertNew<Grant & Own>(grants, grant);
    return { grant, ...issued };
  };
}

interface ChangeGrantDeps<Own extends object> {
  readonly grants: Pick<Collection<Grant & Own>, 'get' | 'change'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly clock: Pick<Clock, 'now'>;
  readonly tokenMaxLifetimeMs?: TokenMaxLifetimeMs;
}

/**
 * Makes the function that changes the given members of a grant and announces the change to every pod. It returns the
 * changed grant, or null if there is no such grant. It throws `UnavailableError` when a store did not answer: the
 * change may be stored, and the caller can repeat it. It throws `ExpiryTooLateError`, and changes nothing, if the
 * current token may not live that long.
 */
function makeChangeGrant<Own extends object>(deps: ChangeGrantDeps<Own>) {
  const { grants, control, kind } = deps;
  return async (id: string, changes: Partial<NewGrant<Own>>): Promise<(Grant & Own) | null> => {
    if (Object.keys(changes).length === 0) return grants.get(id);
    const grant = await grants.change(id, (current) => limitChangedExpiry(deps, current, changes));
    if (grant !== null) await control.announce({ kind, id, change: 'changed' });
    return grant;
  };
}

function limitChangedExpiry<Own extends object>(
  { clock, tokenMaxLifetimeMs = null }: ChangeGrantDeps<Own>,
  { tokenIssuedAt }: Grant,
  changes: Partial<NewGrant<Own>>,
): Partial<Grant & Own> {
  const { expiresAt, ...others } = changes;
  if (tokenMaxLifetimeMs === null || expiresAt === undefined) return changes as Partial<Grant & Own>;
  const limited = limitExpiry(expiresAt, findLatestExpiry(tokenIssuedAt, tokenMaxLifetimeMs), clock.now());
  return { ...others, expiresAt: limited } as Partial<Grant & Own>;
}

export interface RotateTokenDeps<Own extends object> {
  readonly grants: Pick<Collection<Grant & Own>, 'change'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
  readonly tokenMaxLifetimeMs?: TokenMaxLifetimeMs;
}

export interface Rotation {
  /** How long the replaced token stays valid, in seconds. 0: it becomes invalid at once. */
  readonly overlapSeconds: number;
  /** Whether the new token has a signing secret; null: only if the replaced one has. */
  readonly isSigned: boolean | null;
  /** See `TokenIssue`, also for the next one. */
  readonly dictatedSecret?: string | null;
  readonly sourceSecrets?: readonly string[] | null;
}

interface TokenReplacementResult<Own extends object> {
  readonly before: Grant & Own;
  readonly after: Grant & Own;
  readonly issued: IssuedSecrets;
}

/**
 * Makes the function that rotates a grant's token: the replaced token becomes the previous token, valid for an overlap.
 * It returns null if there is no such grant. A grant that expires never, or after the lifetime of the new token, then
 * expires with that lifetime.
 *
 * It throws an `Error` if the grant has a foreign sender and the caller sent no secrets, or the reverse: only with the
 * old token could its secrets be sealed for the new one.
 *
 * It throws `UnavailableError` if the store did not answer, or the change could not be announced to the pods. Then the
 * caller never gets the new token, so the function restores the replaced one: if the caller repeats the rotation, the
 * overlap then belongs to the token in use. With an overlap of 0 it does not: the token must stay invalid.
 */
export function makeRotateToken<Own extends object>(deps: RotateTokenDeps<Own>) {
  return async (id: string, rotation: Rotation): Promise<IssuedGrant<Own> | null> => {
    const replacement = await replaceToken(deps, id, rotation);
    if (replacement === null) return null;
    const { before, after, issued } = replacement;
    try {
      await deps.control.announce({ kind: deps.kind, id, change: 'changed' });
    } catch (error) {
      if (after.previousToken !== null) await restoreTokens(deps, before, after);
      throw error;
    }
    return { grant: after, ...issued };
  };
}

/** Concurrent rotations replace each other's tokens in turn. Returns null if there is no such grant. */
async function replaceToken<Own extends object>(
  { grants, prefix, clock, tokenMaxLifetimeMs = null }: RotateTokenDeps<Own>,
  id: string,
  { overlapSeconds, isSigned, dictatedSecret = null, sourceSecrets = null }: Rotation,
): Promise<TokenReplacementResult<Own> | null> {
  const last: { replacement?: Omit<TokenReplacementResult<Own>, 'after'> } = {};
  const after = await grants.change(id, (before) => {
    const { sealedSecret } = before.token;
    const isForeign = 'source' in before && before.source !== null;
    if (isForeign !== (sourceSecrets !== null))
      throw new Error('secrets are for grants with a foreign sender, and only for them');
    const tokenIssuedAt = clock.now();
    const secrets = { isSigned: isSigned ?? sealedSecret !== null, dictatedSecret, sourceSecrets };
    const { issued, stored } = mintGrantToken(prefix, secrets);
    last.replacement = { before, issued };
    const previousToken = overlapSeconds === 0 ? null : toPreviousToken(before, overlapSeconds, tokenIssuedAt);
    const latest = findLatestExpiry(tokenIssuedAt, tokenMaxLifetimeMs);
    const expiresAt = latest === null ? before.expiresAt : pickEarlier(before.expiresAt, latest);
    return { token: stored, tokenIssuedAt, previousToken, expiresAt } as Partial<Grant & Own>;
  });
  return after === null || last.replacement === undefined ? null : { ...last.replacement, after };
}

function toPreviousToken({ token }: Grant, overlapSeconds: number, now: Date): PreviousToken {
  return { ...token, expiresAt: new Date(now.getTime() + overlapSeconds * 1_000) };
}

async function restoreTokens<Own extends object>(
  { grants }: Pick<RotateTokenDeps<Own>, 'grants'>,
  before: Grant,
  after: Grant,
): Promise<void> {
  const { token, tokenIssuedAt, previousToken, expiresAt } = before;
  const show = (grant: Grant) => JSON.stringify([grant.token, grant.previousToken, grant.expiresAt]);
  try {
    // Restores nothing if another change came meanwhile.
    await grants.change(after.id, (current) =>
      show(current) === show(after)
        ? ({ token, tokenIssuedAt, previousToken, expiresAt } as Partial<Grant & Own>)
        : null,
    );
  } catch {
    // The caller gets the error of the announcement. The replaced token stays valid for its overlap.
  }
}

/** A grant before its previous token ended. */
export interface EndedPreviousToken<Own extends object> {
  readonly before: Grant & Own;
  /** False if it had none. */
  readonly isEnded: boolean;
}

/**
 * Makes the function that ends the previous token of a grant now, and announces that to every pod. It returns null if
 * there is no such grant. If there is no previous token, it announces the end all the same: an earlier call may have
 * ended it and failed to announce it. Throws `UnavailableError`; the caller can repeat the call.
 */
export function makeEndPreviousToken<Own extends object>({
  grants,
  control,
  kind,
}: Pick<RotateTokenDeps<Own>, 'grants' | 'control' | 'kind'>) {
  return async (id: string): Promise<EndedPreviousToken<Own> | null> => {
    const last: { before?: Grant & Own } = {};
    const after = await grants.change(id, (before) => {
      last.before = before;
      return before.previousToken === null ? null : ({ previousToken: null } as Partial<Grant & Own>);
    });
    if (last.before === undefined) return null;
    await control.announce({ kind, id, change: 'changed' });
    return { before: last.before, isEnded: after !== null };
  };
}

interface RevokeTokenDeps {
  readonly grants: Pick<Collection<Grant>, 'remove'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly deleteKept?: (id: string) => Promise<void>;
}

/**
 * Makes the function that removes a grant, announces it to every pod, and deletes what is kept of it. It returns false
 * if there was no such grant. Then it does the rest all the same: an earlier call may have removed the grant and failed
 * afterwards. Throws `UnavailableError`.
 */
function makeRevokeToken({ grants, control, kind, deleteKept }: RevokeTokenDeps) {
  return async (id: string): Promise<boolean> => {
    const isRemoved = await grants.remove(id);
    await control.announce({ kind, id, change: 'revoked' });
    await deleteKept?.(id);
    return isRemoved;
  };
}
