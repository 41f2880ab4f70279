import { TokenCache } from '../token-cache.ts';

/** The wall-clock time (milliseconds since 1970) at which `nowMs` of `createFakeTokenStore` is 0. */
export const startMs = Date.parse('2026-03-01T10:00:00Z');

/**
 * A token cache over a store whose responses a test scripts and whose reads are recorded, with a clock that moves only
 * when a test sets `state.nowMs`.
 */
export function createFakeTokenStore() {
  const state = {
    nowMs: 0,
    /** The digests that were read from the store. */
    reads: [] as string[],
    /** Whether the pod knows every revocation up to 2 s ago. */
    isFresh: true,
    /** What a read finds: a value, no valid token (null), or an error. */
    response: 'value' as string | null | Error,
    validUntil: null as Date | null,
    /** A read takes its response first, then waits for this promise before it returns it. */
    delivery: Promise.resolve(),
  };
  const cache = new TokenCache<string>({
    find: async (digest) => {
      state.reads.push(digest);
      const { response, validUntil, delivery } = state;
      await delivery;
      if (response instanceof Error) throw response;
      return response === null ? null : { value: response, validUntil };
    },
    dependsOn: (value, id) => value === id,
    isFresh: () => state.isFresh,
    clock: { monotonicMs: () => state.nowMs, now: () => new Date(startMs + state.nowMs) },
  });
  /** Holds back the responses of all reads that start from now on, until the returned function is called. */
  const holdResponses = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.delivery = promise;
    return () => {
      state.delivery = Promise.resolve();
      resolve();
    };
  };
  return { cache, state, holdResponses };
}
