import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { digestOf, isWellFormedToken } from '@widget-service/shared/domain/token.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import type { TokenCache } from './token-cache.ts';

export type StreamTokenVerdict =
  | { readonly status: 'ok'; readonly subscription: Subscription }
  /** Also a malformed one. */
  | { readonly status: 'unknown' }
  /** The token has the right form, but the store that knows it cannot be asked. */
  | { readonly status: 'unavailable' };

/** Finds the subscription of a stream token. It does not throw for a store's failure: a stream must say so itself. */
export function createVerifyStreamToken(cache: Pick<TokenCache<Subscription>, 'resolve'>) {
  return async (token: string): Promise<StreamTokenVerdict> => {
    if (!isWellFormedToken(token, 'wst')) return { status: 'unknown' };
    try {
      const subscription = await cache.resolve(digestOf(token));
      return subscription === null ? { status: 'unknown' } : { status: 'ok', subscription };
    } catch (error) {
      if (error instanceof UnavailableError) return { status: 'unavailable' };
      throw error;
    }
  };
}
