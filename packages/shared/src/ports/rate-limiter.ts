import type { PermitRequest, RateLimit, RateOutcome } from '../domain/gcra.ts';

export interface RateRequest extends PermitRequest {
  /** Names the limit, for example `hooks:<integration id>`. Never contains a secret. */
  readonly key: string;
  readonly limit: RateLimit;
}

/**
 * Limits by the generic cell rate algorithm (`domain/gcra.ts`). A key that was never used has its whole burst. Methods
 * throw `UnavailableError`.
 *
 * If a response is lost, a call may take place twice. A repeated `take` costs its permits twice: the limiter grants
 * less, never more. A repeated `giveBack` returns its permits twice.
 */
export interface RateLimiter {
  take(request: RateRequest): Promise<RateOutcome>;
  /** Returns `count` permits that were taken and not used. The limiter never holds more than the burst. */
  giveBack(key: string, limit: RateLimit, count: number): Promise<void>;
}
