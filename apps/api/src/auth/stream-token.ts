import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { digestOf, isWellFormedToken } from '@widget-service/shared/domain/token.ts';
import type { StreamRight } from '../stream/stream-right.ts';
import type { TokenCache } from './token-cache.ts';

export type StreamTokenVerdict =
  | { readonly status: 'ok'; readonly right: StreamRight }
  /** Also a malformed one. */
  | { readonly status: 'unknown' }
  /** The token has the right form, but the store that knows it cannot be asked. */
  | { readonly status: 'unavailable' };

/** Finds what a stream token entitles to. It does not throw for a store's failure: a stream must say so itself. */
export function createVerifyStreamToken(cache: Pick<TokenCache<StreamRight>, 'resolve'>) {
  return async (token: string): Promise<StreamTokenVerdict> => {
    if (!isWellFormedToken(token, 'wst')) return { status: 'unknown' };
    try {
      const right = await cache.resolve(digestOf(token));
      return right === null ? { status: 'unknown' } : { status: 'ok', right };
    } catch (error) {
      if (error instanceof UnavailableError) return { status: 'unavailable' };
      throw error;
    }
  };
}
