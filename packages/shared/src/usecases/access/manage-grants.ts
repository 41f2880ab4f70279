import type { Grant } from '../../domain/grant.ts';
import type { TokenPrefix } from '../../domain/token.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createChangeGrant } from './change-grant.ts';
import { createIssueToken, type NewGrant } from './issue-token.ts';
import { createRevokeToken } from './revoke-token.ts';
import { createRotateToken } from './rotate-token.ts';

export interface GrantUseCaseDeps<Own extends object> {
  readonly grants: GrantStore<Grant & Own, Partial<NewGrant<Own>>>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly clock: Pick<Clock, 'now'>;
}

export type GrantUseCases<Own extends object> = ReturnType<typeof createGrantUseCases<Own>>;

/** All that is decided about the grants of one kind. */
export function createGrantUseCases<Own extends object>(deps: GrantUseCaseDeps<Own>) {
  return {
    issue: createIssueToken<Own>(deps),
    change: createChangeGrant<Own>(deps),
    rotate: createRotateToken<Own>(deps),
    revoke: createRevokeToken(deps),
  };
}
