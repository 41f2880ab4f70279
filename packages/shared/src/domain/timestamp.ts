/**
 * Longest accepted text, in characters; no clock has so many digits. The text is stored with the delivery and
 * repeated in its event, so a longer one would only waste space.
 */
const maxLength = 64;
const dayMs = 86_400_000;
/** The Gregorian calendar repeats every 400 years. */
const gregorianCycleMs = 146_097 * dayMs;
const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|\+00:00)$/;

/** The characters for the point and the digits of a fraction, beside `2026-03-01T09:30:00` and the zone. */
const fractionWith = (zone: string, zoneLength: number) => {
  return `(?:\\.[0-9]{1,${maxLength - 19 - zoneLength - 1}})?${zone}`;
};
const commonDate =
  '[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
/** Divisible by 4 but not by 100, or divisible by 400. */
const leapYear = '(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';

/**
 * Matches exactly the texts that `parseUtcTimestamp` parses. It has no look-around and no escapes of one language, so
 * that clients in other languages can use it (ECMA-262, RE2, Python).
 */
export const utcTimestampPattern = `^(?:${commonDate}|${leapYear}-02-29)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:${fractionWith('[Zz]', 1)}|${fractionWith('\\+00:00', 6)})$`;

/**
 * Parses an RFC 3339 date-time in UTC. Returns milliseconds since the Unix epoch, truncated (not rounded), or null if
 * the text is invalid. Seconds are required. The zone must be `Z`, `z` or `+00:00`: `-00:00` means "offset unknown"
 * (RFC 3339 section 4.3) and is invalid, as is every other offset. A leap second is invalid too: `Date` has none.
 */
export function parseUtcTimestamp(text: string): number | null {
  if (text.length > maxLength) return null;
  const match = pattern.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999. The calendar of 400 years later is the same.
  const startOfMonthMs = Date.UTC(year + 400, month - 1);
  const startOfDayMs = startOfMonthMs + (day - 1) * dayMs;
  // A day that the month does not have would be in the next month.
  if (day > 28 && startOfDayMs >= Date.UTC(year + 400, month)) return null;
  const millisecond = match[7] === undefined ? 0 : Number(`${match[7]}00`.slice(0, 3));
  return startOfDayMs - gregorianCycleMs + ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond;
}

/** Returns the earlier of two times. Null counts as no time. */
export function pickEarlier(current: Date | null, candidate: Date): Date {
  return current !== null && current <= candidate ? current : candidate;
}
