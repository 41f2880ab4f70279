import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { dropOldest } from '@widget-service/shared/runtime/drop-oldest.ts';

/** The pod writes the last use of a grant at most once in this time. */
const recordEveryMs = 60_000;
/** After a failed write, the pod waits only this long before it writes the last use of that grant again. */
const retryAfterMs = 5_000;
const rememberedGrantsMax = 20_000;

export interface RecordLastUsedDeps {
  readonly grants: Pick<Collection<Grant>, 'change'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

/** Records that a grant was used just now. It returns immediately and never throws. */
export type RecordLastUsed = (grantId: string) => void;

/**
 * Makes the function that records the last use of grants (`lastUsedAt`). It writes in the background, at most once a
 * minute per grant: a request neither waits for the write nor fails with it. A failed write is not repeated by itself:
 * the first use after 5 s writes again. The function remembers the 20 000 grants that it wrote last.
 */
export function makeRecordLastUsed({ grants, clock }: RecordLastUsedDeps): RecordLastUsed {
  /** By grant id: the earliest time of its next write (monotonic clock). The grant that was set first comes first. */
  const dueAtMs = new Map<string, number>();
  const setDue = (grantId: string, afterMs: number): void => {
    dueAtMs.delete(grantId);
    dueAtMs.set(grantId, clock.monotonicMs() + afterMs);
    dropOldest(dueAtMs, rememberedGrantsMax);
  };
  return (grantId) => {
    if (clock.monotonicMs() < (dueAtMs.get(grantId) ?? 0)) return;
    setDue(grantId, recordEveryMs);
    const now = clock.now();
    grants
      // Two pods may write in either order.
      .change(grantId, ({ lastUsedAt }) => (lastUsedAt !== null && lastUsedAt >= now ? null : { lastUsedAt: now }))
      .catch(() => setDue(grantId, retryAfterMs));
  };
}
