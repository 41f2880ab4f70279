import { TokenCache } from '../token-cache.ts';

/** When the clock of `createFakeTokenStore` stands at zero. */
export const startMs = Date.parse('2026-03-01T10:00:00Z');

/** A store whose answers are scripted and counted, and a clock that stands still until it is set. */
export function createFakeTokenStore() {
  const state = {
    nowMs: 0,
    asked: [] as string[],
    /** Whether revocations are heard. */
    isCurrent: true,
    answer: 'value' as string | null | Error,
    validUntil: null as Date | null,
    /** What an answer waits for, after it was read. */
    delivery: Promise.resolve(),
  };
  const cache = new TokenCache<string>({
    find: async (digest) => {
      state.asked.push(digest);
      const { answer, validUntil, delivery } = state;
      await delivery;
      if (answer instanceof Error) throw answer;
      return answer === null ? null : { value: answer, validUntil };
    },
    concerns: (value, id) => value === id,
    isFresh: () => state.isCurrent,
    clock: { monotonicMs: () => state.nowMs, now: () => new Date(startMs + state.nowMs) },
  });
  /** Holds back the answers to what is asked from now on, until the returned function is called. */
  const holdAnswers = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.delivery = promise;
    return () => {
      state.delivery = Promise.resolve();
      resolve();
    };
  };
  return { cache, state, holdAnswers };
}
