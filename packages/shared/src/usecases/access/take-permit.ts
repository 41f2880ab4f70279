import type { RateLimit } from '../../domain/gcra.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

export type Permit =
  /** Call `giveBack` if the attempt turns out not to count. */
  | { readonly status: 'granted'; readonly giveBack: () => Promise<void> }
  | {
      readonly status: 'rate-limited';
      readonly limit: RateLimit;
      readonly retryAfterMs: number;
      readonly resetAfterMs: number;
    };

export const unlimited: Permit = { status: 'granted', giveBack: async () => undefined };

/** Takes one permit of a limit, for a key. Null: there is no limit. Throws `UnavailableError`. */
export async function takePermit(limiter: RateLimiter, key: string, limit: RateLimit | null): Promise<Permit> {
  if (limit === null) return unlimited;
  const { granted, retryAfterMs, resetAfterMs } = await limiter.take({ key, limit, atLeast: 1, atMost: 1 });
  if (granted === 0) return { status: 'rate-limited', limit, retryAfterMs, resetAfterMs };
  return { status: 'granted', giveBack: async () => void (await limiter.giveBack(key, limit, 1)) };
}
