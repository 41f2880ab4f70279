import { capForeignDelay } from '../durations.ts';

/** The longest time that a client waits because it could not open the stream, unless the service asks for more. */
const maxBackoffMs = 30_000;

/**
 * How long to wait before the next connection, in milliseconds.
 *
 * After a connection that was open, this is the `retry:` of the service, which is random already. After `failures`
 * attempts in a row that did not open, the time doubles with each, up to 30 s, and is random between half of that and
 * all of it: a crowd of clients must not come back at the same instant. It is never less than `retryAfterMs`, which the
 * service or a proxy asked for. Neither of both counts for more than an hour.
 */
export function computeReconnectDelayMs({
  retryMs,
  failures,
  retryAfterMs = 0,
  random = Math.random,
}: {
  readonly retryMs: number;
  readonly failures: number;
  readonly retryAfterMs?: number;
  readonly random?: () => number;
}): number {
  // Also what a transport of the caller returns.
  const askedMs = capForeignDelay(retryAfterMs);
  if (failures === 0) return Math.max(capForeignDelay(retryMs), askedMs);
  // The exponent is bounded, so that the result stays a number.
  const backoffMs = Math.min(maxBackoffMs, capForeignDelay(retryMs) * 2 ** Math.min(failures - 1, 20));
  return Math.max(askedMs, backoffMs * (0.5 + random() / 2));
}
