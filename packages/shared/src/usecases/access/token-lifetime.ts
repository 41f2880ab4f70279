import { ServiceError } from '../../domain/errors.ts';

/** How long a token may live after it was issued, in milliseconds. Null: without limit. */
export type TokenMaxLifetimeMs = number | null;

/** The wanted `expiresAt` is later than the token may live. */
export class ExpiryTooLateError extends ServiceError {
  constructor(latest: Date) {
    super(
      'invalid-request',
      `Must be at most ${latest.toISOString()}: the service limits how long a token lives after it was issued. To keep the grant for longer, rotate its token first.`,
    );
    this.name = 'ExpiryTooLateError';
  }
}

/** Returns the latest time at which a token may expire. Null: there is no limit. */
export function findLatestExpiry(tokenIssuedAt: Date, maxLifetimeMs: TokenMaxLifetimeMs): Date | null {
  return maxLifetimeMs === null ? null : new Date(tokenIssuedAt.getTime() + maxLifetimeMs);
}

/**
 * Returns the `expiresAt` that a grant gets. Null, which means never, becomes the latest time that the limit allows.
 * Throws `ExpiryTooLateError` if `wanted` is later than that, and also for null if that time is over.
 */
export function limitExpiry(wanted: Date | null, latest: Date | null, now: Date): Date | null {
  if (latest === null) return wanted;
  if (wanted === null ? latest <= now : wanted > latest) throw new ExpiryTooLateError(latest);
  return wanted ?? latest;
}
