import { capForeignDelay } from '../durations.ts';

/**
 * Reads `Retry-After` (RFC 9110), in milliseconds, an hour at most. It is a number of seconds, or a date. Returns 0 if
 * there is none.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number = Date.now()): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  return capForeignDelay(/^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs);
}
