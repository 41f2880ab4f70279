/** So many per second on average, and so many at once. */
export interface RateLimit {
  readonly ratePerSecond: number;
  /** At least 1. */
  readonly burst: number;
}

/** Takes as many as there are, up to `atMost`; none when there are fewer than `atLeast` (0 only looks). */
export interface PermitRequest {
  /** At most the limit's burst: more than that is never there. */
  readonly atLeast: number;
  readonly atMost: number;
}

export interface RateOutcome {
  /** How many were taken. */
  readonly granted: number;
  /** How many more could be taken right now. */
  readonly remaining: number;
  /** Until `atLeast` could be taken; 0 when they were. Whole milliseconds. */
  readonly retryAfterMs: number;
  /** Until the whole burst is there again. Whole milliseconds. */
  readonly resetAfterMs: number;
}

export interface PermitOutcome {
  readonly outcome: RateOutcome;
  /** The new state. */
  readonly fullAtMs: number;
}

/** Fractions of a permit that rounding may cost are forgiven; the state keeps count of them, so nothing adds up. */
const forgivenPermits = 1e-3;
const forgivenMs = 1e-3;

/**
 * Takes permits by the generic cell rate algorithm (GCRA, ITU-T I.371). The whole state is `fullAtMs`: when, on the
 * clock of `nowMs`, the whole burst will be there again; any time that has passed stands for a limit not yet used.
 */
export function takePermits(fullAtMs: number, nowMs: number, limit: RateLimit, wanted: PermitRequest): PermitOutcome {
  const { burst } = limit;
  const { atLeast, atMost } = wanted;
  const permitMs = 1_000 / limit.ratePerSecond;
  const missing = missingMs(fullAtMs, nowMs, limit);
  const available = Math.max(0, Math.floor(burst - missing / permitMs + forgivenPermits));
  const granted = available < atLeast ? 0 : Math.min(available, atMost);
  const missingAfterMs = missing + granted * permitMs;
  return {
    outcome: {
      granted,
      remaining: available - granted,
      retryAfterMs: available < atLeast ? wholeMs(missing - (burst - atLeast) * permitMs, permitMs) : 0,
      resetAfterMs: wholeMs(missingAfterMs, permitMs),
    },
    fullAtMs: nowMs + missingAfterMs,
  };
}

/** The state after `count` permits were given back; never more than the burst. */
export function returnPermits(fullAtMs: number, nowMs: number, limit: RateLimit, count: number): number {
  const permitMs = 1_000 / limit.ratePerSecond;
  return nowMs + Math.max(0, missingMs(fullAtMs, nowMs, limit) - count * permitMs);
}

/** Never more than a whole burst: also when the limit was lowered since, or the clock set back. */
function missingMs(fullAtMs: number, nowMs: number, { ratePerSecond, burst }: RateLimit): number {
  return Math.min(Math.max(fullAtMs - nowMs, 0), (burst * 1_000) / ratePerSecond);
}

/** Rounded up, but not for what is forgiven anyway. */
function wholeMs(ms: number, permitMs: number): number {
  return Math.max(0, Math.ceil(ms - Math.min(forgivenMs, forgivenPermits * permitMs)));
}
