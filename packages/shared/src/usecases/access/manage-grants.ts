import { UnavailableError } from '../../domain/errors.ts';
import type { Grant, GrantToken, PreviousToken } from '../../domain/grant.ts';
import { mintSigningSecret, sealSecret } from '../../domain/sealed-secret.ts';
import { mintToken, sha256Hex, type TokenPrefix } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface GrantUseCaseDeps<Own extends object> {
  readonly grants: GrantStore<Grant & Own, Partial<NewGrant<Own>>>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
}

export type GrantUseCases<Own extends object> = ReturnType<typeof makeGrantUseCases<Own>>;

/** All that is decided about the grants of one kind. */
export function makeGrantUseCases<Own extends object>(deps: GrantUseCaseDeps<Own>) {
  return {
    issue: makeIssueToken<Own>(deps),
    change: makeChangeGrant<Own>(deps),
    rotate: makeRotateToken<Own>(deps),
    revoke: makeRevokeToken(deps),
  };
}

/** What is shown of a new token this once. */
interface IssuedSecrets {
  readonly token: string;
  /** What the holder signs with (`whsec_…`); null without. */
  readonly signingSecret: string | null;
}

export interface MintedToken {
  readonly issued: IssuedSecrets;
  /** What is stored of it. */
  readonly stored: GrantToken;
}

/** A new token, with a signing secret of its own if it is to have one. */
function mintGrantToken(prefix: TokenPrefix, isSigned: boolean): MintedToken {
  const token = mintToken(prefix);
  const signingSecret = isSigned ? mintSigningSecret() : null;
  const sealedSecret = signingSecret === null ? null : sealSecret(signingSecret, token);
  return { issued: { token, signingSecret }, stored: { digest: sha256Hex(token), sealedSecret } };
}

/** What is chosen for a grant; `Own` are the members of its kind beyond those that all grants have. */
export type NewGrant<Own extends object> = Own & Pick<Grant, 'name' | 'expiresAt'>;

/** A grant with a new token: the only time that its secrets are at hand. */
export interface IssuedGrant<Own extends object> extends IssuedSecrets {
  readonly grant: Grant & Own;
}

export interface IssueTokenDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, unknown>, 'insert'>;
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates a grant together with its token, and with a signing secret if it is to be a signed one. */
export function makeIssueToken<Own extends object>({ grants, prefix, clock }: IssueTokenDeps<Own>) {
  return async (chosen: NewGrant<Own>, isSigned = false): Promise<IssuedGrant<Own>> => {
    const { issued, stored } = mintGrantToken(prefix, isSigned);
    const grant = {
      ...chosen,
      id: createUuidV7(),
      token: stored,
      previousToken: null,
      createdAt: clock.now(),
      lastUsedAt: null,
    };
    await grants.insert(grant);
    return { grant, ...issued };
  };
}

export interface ChangeGrantDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, Partial<NewGrant<Own>>>, 'get' | 'update'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
}

/**
 * Changes the given members of a grant, and tells every pod. Returns the grant as it is then; null when there is none.
 * Throws `UnavailableError`; the change may have been stored by then, and can be repeated.
 */
function makeChangeGrant<Own extends object>({ grants, control, kind }: ChangeGrantDeps<Own>) {
  return async (id: string, changes: Partial<NewGrant<Own>>): Promise<(Grant & Own) | null> => {
    if (Object.keys(changes).length === 0) return grants.get(id);
    const grant = await grants.update(id, changes);
    if (grant !== null) await control.announce({ kind, id, change: 'changed' });
    return grant;
  };
}

/** How often a rotation is tried against others of the same grant at the same time. */
const triesMax = 10;

export interface RotateTokenDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, unknown>, 'get' | 'replaceTokens'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Rotation {
  /** How long the replaced token goes on working. 0: it ends at once. */
  readonly overlapSeconds: number;
  /** Whether the new token has a signing secret; null: as the replaced one. */
  readonly isSigned: boolean | null;
}

interface Replaced<Own extends object> {
  readonly before: Grant & Own;
  readonly after: Grant & Own;
  readonly shown: IssuedSecrets;
}

/**
 * Gives a grant a new token; the replaced one stays its previous token for a while. Null when there is no such grant.
 * Throws `UnavailableError` when the pods could not be told: nobody has seen the new token then, so the replaced one is
 * put back, to be what a repetition keeps working. One that was to end at once stays ended.
 */
export function makeRotateToken<Own extends object>(deps: RotateTokenDeps<Own>) {
  return async (id: string, rotation: Rotation): Promise<IssuedGrant<Own> | null> => {
    const replaced = await replaceToken(deps, id, rotation);
    if (replaced === null) return null;
    const { before, after, shown } = replaced;
    try {
      await deps.control.announce({ kind: deps.kind, id, change: 'changed' });
    } catch (error) {
      if (after.previousToken !== null) await putBack(deps, before, after);
      throw error;
    }
    return { grant: after, ...shown };
  };
}

/** Rotations at the same time follow one another: each replaces the token of the one before. */
async function replaceToken<Own extends object>(
  { grants, kind, prefix, clock }: RotateTokenDeps<Own>,
  id: string,
  { overlapSeconds, isSigned }: Rotation,
): Promise<Replaced<Own> | null> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await grants.get(id);
    if (before === null) return null;
    const { issued, stored } = mintGrantToken(prefix, isSigned ?? before.token.sealedSecret !== null);
    const after = await grants.replaceTokens(id, {
      replacedDigest: before.token.digest,
      token: stored,
      previousToken: overlapSeconds === 0 ? null : endingIn(overlapSeconds, before, clock.now()),
    });
    if (after !== null) return { before, after, shown: issued };
  }
  throw new UnavailableError(`rotate the token of a ${kind}: others were first, ${triesMax} times`);
}

function endingIn(overlapSeconds: number, { token }: Grant, now: Date): PreviousToken {
  return { ...token, expiresAt: new Date(now.getTime() + overlapSeconds * 1_000) };
}

async function putBack({ grants }: Pick<RotateTokenDeps<object>, 'grants'>, before: Grant, after: Grant) {
  const { token, previousToken } = before;
  try {
    await grants.replaceTokens(after.id, { replacedDigest: after.token.digest, token, previousToken });
  } catch {
    // The caller is told of the first failure; the replaced token works on for its overlap.
  }
}

export interface RevokeTokenDeps {
  readonly grants: Pick<GrantStore<Grant, unknown>, 'remove'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
}

/**
 * Removes a grant, and tells every pod. False when there was none; the pods are told all the same, because the removal
 * may have been one whose telling failed, and that is now repeated. Throws `UnavailableError`.
 */
function makeRevokeToken({ grants, control, kind }: RevokeTokenDeps) {
  return async (id: string): Promise<boolean> => {
    const isRemoved = await grants.remove(id);
    await control.announce({ kind, id, change: 'revoked' });
    return isRemoved;
  };
}
