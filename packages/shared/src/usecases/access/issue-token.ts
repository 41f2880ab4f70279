import type { Grant } from '../../domain/grant.ts';
import type { TokenPrefix } from '../../domain/token.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { mintGrantToken, type ShownSecrets } from './mint-grant-token.ts';

/** What is chosen for a grant; `Own` are the members of its kind beyond those that all grants have. */
export type NewGrant<Own extends object> = Own & Pick<Grant, 'name' | 'expiresAt'>;

/** A grant with a new token: the only time that its secrets are at hand. */
export interface IssuedGrant<Own extends object> extends ShownSecrets {
  readonly grant: Grant & Own;
}

export interface IssueTokenDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, unknown>, 'insert'>;
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates a grant together with its token, and with a signing secret if it is to be a signed one. */
export function createIssueToken<Own extends object>({ grants, prefix, clock }: IssueTokenDeps<Own>) {
  return async (chosen: NewGrant<Own>, isSigned = false): Promise<IssuedGrant<Own>> => {
    const { shown, kept } = mintGrantToken(prefix, isSigned);
    const grant = {
      ...chosen,
      id: createUuidV7(),
      token: kept,
      previousToken: null,
      createdAt: clock.now(),
      lastUsedAt: null,
    };
    await grants.insert(grant);
    return { grant, ...shown };
  };
}
