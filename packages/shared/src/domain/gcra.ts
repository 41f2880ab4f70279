/** At most `ratePerSecond` permits per second on average, and at most `burst` permits at once. */
export interface RateLimit {
  readonly ratePerSecond: number;
  /** At least 1. */
  readonly burst: number;
}

/** The burst is what the rate allows in this time: a silent client saves up permits for that long. */
const burstSeconds = 5;

/** Returns the limit of a rate, which may be a fraction. */
export function toRateLimit(ratePerSecond: number): RateLimit {
  return { ratePerSecond, burst: Math.max(1, Math.floor(burstSeconds * ratePerSecond)) };
}

/**
 * A request for all available permits up to `atMost`, or for none if fewer than `atLeast` are available. Two zeros only
 * read the state.
 */
export interface PermitRequest {
  /** At most the limit's burst: more permits than that are never available. */
  readonly atLeast: number;
  readonly atMost: number;
}

export interface RateOutcome {
  /** Permits taken. */
  readonly granted: number;
  /** Permits still available now. */
  readonly remaining: number;
  /** Milliseconds until `atLeast` permits are available, as a whole number; 0 if they were. */
  readonly retryAfterMs: number;
  /** Milliseconds until the whole burst is available, as a whole number. */
  readonly resetAfterMs: number;
}

/** A limit refuses a request. `retryAfterMs`: until one more request is allowed. */
export interface RateRefusal extends Pick<RateOutcome, 'retryAfterMs' | 'resetAfterMs'> {
  readonly limit: RateLimit;
}

interface PermitOutcome {
  readonly outcome: RateOutcome;
  /** The new state, see `takePermits`. */
  readonly fullAtMs: number;
}

/**
 * A permit counts as available if at most this fraction of it is missing: floating-point rounding may lose that much.
 * The state still counts the missing fraction, unless the whole burst is used up. So a caller may exceed the rate by
 * 0.1 % at most.
 */
const tolerancePermits = 1e-3;
/** `roundUpMs` subtracts this before it rounds up, so that a rounding error does not cost a whole millisecond. */
const toleranceMs = 1e-3;
/**
 * The tolerance of `roundUpMs` for high rates, as a fraction of one permit. Half of `tolerancePermits`, so that the
 * permit counts as available after the rounded wait.
 */
const waitTolerancePermits = tolerancePermits / 2;

/**
 * Takes permits by the generic cell rate algorithm (GCRA, ITU-T I.371). The whole state is `fullAtMs`: the time, on the
 * clock of `nowMs`, at which the whole burst is available again. Any time in the past, such as 0, is an unused limit.
 *
 * Example: 1 permit per second, a burst of 10. After 3 permits are taken, `fullAtMs` is `nowMs + 3000`.
 */
export function takePermits(fullAtMs: number, nowMs: number, limit: RateLimit, request: PermitRequest): PermitOutcome {
  const { burst } = limit;
  const { atLeast, atMost } = request;
  const permitMs = 1_000 / limit.ratePerSecond;
  const missingMs = computeMissingMs(fullAtMs, nowMs, limit);
  const available = Math.max(0, Math.floor(burst - missingMs / permitMs + tolerancePermits));
  const granted = available < atLeast ? 0 : Math.min(available, atMost);
  const missingAfterMs = missingMs + granted * permitMs;
  return {
    outcome: {
      granted,
      remaining: available - granted,
      retryAfterMs: available < atLeast ? roundUpMs(missingMs - (burst - atLeast) * permitMs, permitMs) : 0,
      resetAfterMs: roundUpMs(missingAfterMs, permitMs),
    },
    fullAtMs: nowMs + missingAfterMs,
  };
}

/** Returns the state after `count` permits are returned. At most the whole burst becomes available. */
export function returnPermits(fullAtMs: number, nowMs: number, limit: RateLimit, count: number): number {
  const permitMs = 1_000 / limit.ratePerSecond;
  return nowMs + Math.max(0, computeMissingMs(fullAtMs, nowMs, limit) - count * permitMs);
}

/**
 * Returns how long until the whole burst is available, in milliseconds. Never more than a whole burst takes, even if
 * the burst was lowered or the rate raised since, or the clock was set back.
 */
function computeMissingMs(fullAtMs: number, nowMs: number, { ratePerSecond, burst }: RateLimit): number {
  return Math.min(Math.max(fullAtMs - nowMs, 0), (burst * 1_000) / ratePerSecond);
}

/** Rounds up to whole milliseconds, after it subtracts the tolerance. */
function roundUpMs(ms: number, permitMs: number): number {
  return Math.max(0, Math.ceil(ms - Math.min(toleranceMs, waitTolerancePermits * permitMs)));
}
