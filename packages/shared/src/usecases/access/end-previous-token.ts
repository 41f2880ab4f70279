import type { Grant } from '../../entities/grant.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ControlEntry, ControlLog } from '../../ports/control-log.ts';

export interface EndPreviousTokenDeps<Own extends object> {
  readonly grants: Pick<Collection<Grant & Own>, 'change'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly kind: ControlEntry['kind'];
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
export function makeEndPreviousToken<Own extends object>({ grants, control, kind }: EndPreviousTokenDeps<Own>) {
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
