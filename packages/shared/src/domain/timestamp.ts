/**
 * Longest accepted text, in characters; no clock has so many digits. The text is stored with the delivery and
 * repeated in its event, so a longer one would only waste space.
 */
const maxLength = 64;
const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|\+00:00)$/;

/**
 * Parses an RFC 3339 date-time in UTC. Returns milliseconds since the Unix epoch, truncated (not rounded), or null if
 * the text is invalid. Seconds are required. The zone must be `Z`, `z` or `+00:00`: `-00:00` means "offset unknown"
 * (RFC 3339 section 4.3) and is invalid, as is every other offset. A leap second is invalid too: `Date` has none.
 */
export function parseUtcTimestamp(text: string): number | null {
  if (text.length > maxLength) return null;
  const match = pattern.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = ''] = match;
  const millisecond = Number(`${fraction}000`.slice(0, 3));
  // Not `Date.UTC`: it maps the years 0 to 99 to 1900 to 1999.
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

/** Returns the earlier of two times. Null counts as no time. */
export function pickEarlier(current: Date | null, candidate: Date): Date {
  return current !== null && current <= candidate ? current : candidate;
}
