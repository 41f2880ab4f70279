/**
 * More digits than any clock has. A time is carried as it was sent, in every event that tells of it: what is longer is
 * cargo.
 */
const textMax = 64;
const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|\+00:00)$/;

/**
 * Milliseconds since the Unix epoch of an RFC 3339 date-time in UTC, cut (not rounded) to milliseconds; null when
 * the text is none. Seconds are required; the zone is `Z`, `z` or `+00:00`. `-00:00` says "offset unknown"
 * (RFC 3339 section 4.3) and is refused like every other offset, and so is a leap second, which no clock here has.
 */
export function parseUtcTimestamp(text: string): number | null {
  if (text.length > textMax) return null;
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = ''] = match;
  const millisecond = Number(`${fraction}000`.slice(0, 3));
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second), millisecond);
  const isReal =
    date.getUTCFullYear() === Number(year) &&
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  return isReal ? date.getTime() : null;
}
