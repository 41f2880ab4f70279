import type { Grant } from '@widget-service/shared/domain/grant.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';

const notedEveryMs = 60_000;
/** How long the store is left alone with a grant after a use of it could not be noted. */
const retryAfterMs = 5_000;
const rememberedMax = 20_000;

export interface RecordLastUsedDeps {
  readonly grants: Pick<GrantStore<Grant, never>, 'recordLastUsed'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

/** Notes that a grant is in use. It returns at once and never throws. */
export type RecordLastUsed = (grantId: string) => void;

/**
 * Notes the last use of grants, each at most once a minute and in the background: a request neither waits for it nor
 * fails with it.
 */
export function makeRecordLastUsed({ grants, clock }: RecordLastUsedDeps): RecordLastUsed {
  /** Grant to the time from which on its use is noted again; the one noted longest ago comes first. */
  const dueAtMs = new Map<string, number>();
  const setDue = (grantId: string, afterMs: number): void => {
    dueAtMs.delete(grantId);
    dueAtMs.set(grantId, clock.monotonicMs() + afterMs);
    const [oldest] = dueAtMs.keys();
    if (dueAtMs.size > rememberedMax && oldest !== undefined) dueAtMs.delete(oldest);
  };
  return (grantId) => {
    if (clock.monotonicMs() < (dueAtMs.get(grantId) ?? 0)) return;
    setDue(grantId, notedEveryMs);
    grants.recordLastUsed(grantId, clock.now()).catch(() => setDue(grantId, retryAfterMs));
  };
}
