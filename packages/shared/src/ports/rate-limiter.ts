/** So many per second on average, and so many at once. */
export interface RateLimit {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface RateRequest {
  /** Whose limit, for example `hooks:<integration id>`. Never a secret. */
  readonly key: string;
  readonly limit: RateLimit;
  /** Takes as many as there are, up to `atMost`; none when there are fewer than `atLeast` (0 only looks). */
  readonly atLeast: number;
  readonly atMost: number;
}

export interface RateOutcome {
  /** How many were taken. */
  readonly granted: number;
  /** How many more could be taken right now. */
  readonly remaining: number;
  /** Until `atLeast` could be taken; 0 when they were. Milliseconds. */
  readonly retryAfterMs: number;
  /** Until the whole burst is there again. Milliseconds. */
  readonly resetAfterMs: number;
}

/**
 * Limits by the generic cell rate algorithm (GCRA, ITU-T I.371): a key's whole state is one time. Throws
 * `UnavailableError`.
 */
export interface RateLimiter {
  take(request: RateRequest): Promise<RateOutcome>;
  /** Gives back what was taken and not used. */
  giveBack(key: string, limit: RateLimit, count: number): Promise<void>;
}
