import type { PermitRequest, RateLimit, RateOutcome } from '../domain/gcra.ts';

export interface RateRequest extends PermitRequest {
  /** Whose limit, for example `hooks:<integration id>`. Never a secret. */
  readonly key: string;
  readonly limit: RateLimit;
}

/**
 * Limits by the generic cell rate algorithm (`domain/gcra.ts`); a key that was never used has its whole burst. A take
 * whose answer is lost may be carried out twice, and then costs its permits once more: less is granted, never more.
 * Throws `UnavailableError`.
 */
export interface RateLimiter {
  take(request: RateRequest): Promise<RateOutcome>;
  /** Gives back what was taken and not used. Carried out twice, it gives back twice; never beyond the burst. */
  giveBack(key: string, limit: RateLimit, count: number): Promise<void>;
}
