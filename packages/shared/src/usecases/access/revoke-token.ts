import type { Grant } from '../../domain/grant.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';

export interface RevokeTokenDeps {
  readonly grants: Pick<GrantStore<Grant, unknown>, 'remove'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
}

/**
 * Removes a grant, and tells every pod. False when there was none; the pods are told all the same, because the removal
 * may have been one whose telling failed, and that is now repeated. Throws `UnavailableError`.
 */
export function createRevokeToken({ grants, control, kind }: RevokeTokenDeps) {
  return async (id: string): Promise<boolean> => {
    const isRemoved = await grants.remove(id);
    await control.announce({ kind, id, change: 'revoked' });
    return isRemoved;
  };
}
