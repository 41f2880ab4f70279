/** Why the pod ends a stream, as `stream.closing` says it. */
export type ClosingReason =
  | 'lifetime'
  | 'draining'
  | 'slow'
  | 'overloaded'
  | 'too-many-connections'
  | 'unavailable'
  | 'resync'
  | 'revoked'
  | 'expired';

/** How the pod ends a stream for one reason. */
interface ClosingRule {
  /** When this happens, for the people who read the API description. */
  readonly meaning: string;
  /**
   * How long clients wait before they reconnect, in milliseconds. Each stream gets a random time of this range. It is
   * long where a quick reconnect would not help.
   */
  readonly retryRangeMs: readonly [number, number];
  /** Whether a `stream.position` may come first. False if the client cannot resume, or not from its stream's cursor. */
  readonly sendsPosition: boolean;
  /**
   * Whether unsent bytes must not or need not be sent. If there are any, the hub destroys the socket: the client gets
   * no `stream.closing`.
   */
  readonly dropsUnsent: boolean;
}

const soonMs = [1_000, 5_000] as const;

export const closingRules: Readonly<Record<ClosingReason, ClosingRule>> = {
  lifetime: {
    meaning: 'the stream reached its maximum age, or an admin ended it; reconnect and resume',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: false,
  },
  draining: {
    meaning: 'the server is shutting down',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: false,
  },
  /**
   * Two rules: `findClosingReason` below (the client accepts nothing for `STREAM_STALL_MS`, see connection-sweep.ts),
   * and stream-feeder.ts (the ring has dropped the next event of a backpressured client).
   */
  slow: {
    meaning: 'the client read too slowly',
    retryRangeMs: soonMs,
    sendsPosition: true,
    dropsUnsent: true,
  },
  overloaded: {
    meaning: 'the server has too many open streams',
    retryRangeMs: [30_000, 90_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  'too-many-connections': {
    meaning: 'the subscription, or the user of a personal stream, has too many open streams on this server',
    retryRangeMs: [30_000, 90_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  unavailable: {
    meaning: 'the service cannot check the token or read the event log now',
    retryRangeMs: [5_000, 15_000],
    sendsPosition: true,
    dropsUnsent: false,
  },
  resync: {
    meaning: 'the stream cannot continue where it is; resume it to learn of any gap',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: false,
  },
  /** The client gets a 404 when it reconnects, and may learn this soon. So does it after `expired`. */
  revoked: {
    meaning: 'the token or the session was revoked',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: true,
  },
  expired: {
    meaning: 'the token has expired',
    retryRangeMs: soonMs,
    sendsPosition: false,
    dropsUnsent: true,
  },
};

export const closingReasons = Object.keys(closingRules) as ClosingReason[];

/** The parts of a connection that age. */
interface AgingStream {
  readonly entitlement: { readonly validUntil: Date | null };
  /** Both in milliseconds on the monotonic clock. */
  readonly lastProgressAtMs: number;
  readonly endsAtMs: number;
}

/** The time of a check. */
interface CheckTimes {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** Since the Unix epoch: entitlements expire by the calendar. */
  readonly wallMs: number;
}

/**
 * Returns why the stream must end now: its entitlement has expired, its client has accepted nothing for `stallMs`, or
 * its lifetime is over. Returns null if it may go on.
 */
export function findClosingReason(
  { entitlement: { validUntil }, lastProgressAtMs, endsAtMs }: AgingStream,
  { nowMs, wallMs }: CheckTimes,
  stallMs: number,
): ClosingReason | null {
  if (validUntil !== null && wallMs >= validUntil.getTime()) return 'expired';
  if (nowMs - lastProgressAtMs >= stallMs) return 'slow';
  return nowMs >= endsAtMs ? 'lifetime' : null;
}
