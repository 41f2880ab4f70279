import type { Grant } from '../../domain/grant.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';
import type { GrantStore } from '../../ports/grant-store.ts';

export interface EndPreviousTokenDeps<Own extends object> {
  readonly grants: Pick<GrantStore<Grant & Own, unknown>, 'get' | 'endPreviousToken'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
}

/** A grant before its previous token ended. */
export interface EndedPreviousToken<Own extends object> {
  readonly before: Grant & Own;
  /** False if it had none, or if a rotation came first: then that rotation has ended it. */
  readonly isEnded: boolean;
}

/**
 * Makes the function that ends the previous token of a grant now, and announces that to every pod. It returns null if
 * there is no such grant. If there is no previous token, it announces the end all the same: an earlier call may have
 * ended it and failed to announce it. Throws `UnavailableError`; the caller can repeat the call.
 */
export function makeEndPreviousToken<Own extends object>({ grants, control, kind }: EndPreviousTokenDeps<Own>) {
  return async (id: string): Promise<EndedPreviousToken<Own> | null> => {
    const before = await grants.get(id);
    if (before === null) return null;
    const { previousToken } = before;
    const isEnded = previousToken !== null && (await grants.endPreviousToken(id, previousToken.digest));
    await control.announce({ kind, id, change: 'changed' });
    return { before, isEnded };
  };
}
