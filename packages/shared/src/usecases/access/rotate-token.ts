import { UnavailableError } from '../../domain/errors.ts';
import type { Grant, PreviousToken } from '../../domain/grant.ts';
import type { TokenPrefix } from '../../domain/token.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { IssuedGrant } from './issue-token.ts';
import { mintGrantToken, type ShownSecrets } from './mint-grant-token.ts';

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
  readonly shown: ShownSecrets;
}

/**
 * Gives a grant a new token; the replaced one stays its previous token for a while. Null when there is no such grant.
 * Throws `UnavailableError` when the pods could not be told: nobody has seen the new token then, so the replaced one is
 * put back, to be what a repetition keeps working. One that was to end at once stays ended.
 */
export function createRotateToken<Own extends object>(deps: RotateTokenDeps<Own>) {
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
    const { shown, kept } = mintGrantToken(prefix, isSigned ?? before.token.sealedSecret !== null);
    const after = await grants.replaceTokens(id, {
      replacedDigest: before.token.digest,
      token: kept,
      previousToken: overlapSeconds === 0 ? null : endingIn(overlapSeconds, before, clock.now()),
    });
    if (after !== null) return { before, after, shown };
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
