import type { Grant } from '../../domain/grant.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { NewGrant } from './issue-token.ts';

export interface ChangeGrantDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, Partial<NewGrant<Own>>>, 'get' | 'update'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
}

/**
 * Changes the given members of a grant, and tells every pod. Returns the grant as it is then; null when there is none.
 * Throws `UnavailableError`; the change may have been stored by then, and can be repeated.
 */
export function createChangeGrant<Own extends object>({ grants, control, kind }: ChangeGrantDeps<Own>) {
  return async (id: string, changes: Partial<NewGrant<Own>>): Promise<(Grant & Own) | null> => {
    if (Object.keys(changes).length === 0) return grants.get(id);
    const grant = await grants.update(id, changes);
    if (grant !== null) await control.announce({ kind, id, change: 'changed' });
    return grant;
  };
}
