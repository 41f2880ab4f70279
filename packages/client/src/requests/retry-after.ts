/**
 * Reads `Retry-After` (RFC 9110), in milliseconds. It is a number of seconds, or a date. Returns 0 if there is none.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number = Date.now()): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
