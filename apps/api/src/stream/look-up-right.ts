import type { SubscriptionStore } from '@widget-service/shared/ports/subscription-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Reconsidered, StreamRight } from './stream-right.ts';

export interface LookUpRightDeps {
  /** What a token entitles to now, by its digest; null for one that is not good (any more). */
  readonly find: (tokenDigest: string) => Promise<StreamRight | null>;
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Looks an open stream's right up again, in the stores themselves. Throws `UnavailableError`. */
export function createLookUpRight({ find, subscriptions, clock }: LookUpRightDeps) {
  return async ({ holder, tokenDigest, validUntil }: StreamRight): Promise<Reconsidered> => {
    const found = await find(tokenDigest);
    if (found !== null) return found;
    if (validUntil !== null && validUntil <= clock.now()) return 'expired';
    // A subscription that is still there has another token by now, or its end was moved to the past.
    const isThere = holder.kind === 'subscription' && (await subscriptions.get(holder.id)) !== null;
    return isThere ? 'expired' : 'revoked';
  };
}
