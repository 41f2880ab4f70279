const commonDate =
  '[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
/** Divisible by 4 but not by 100, or divisible by 400. */
const leapYear = '(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';

/**
 * At most 64 characters are accepted: 43 digits before `Z`, or 38 before `+00:00`. No clock is that precise. The text
 * is stored with the delivery and repeated in its event, so a longer one would only waste space.
 */
const fractionAndZone = '(?:\\.[0-9]{1,43})?[Zz]|(?:\\.[0-9]{1,38})?\\+00:00';

/**
 * Matches exactly the texts that `parseUtcTimestamp` parses. It has no look-around and no escapes of one language, so
 * that clients in other languages can use it (ECMA-262, RE2, Python).
 */
export const utcTimestampPattern = `^(?:${commonDate}|${leapYear}-02-29)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:${fractionAndZone})$`;

const pattern = new RegExp(utcTimestampPattern);
const longFraction = /(\.\d{3})\d+/;

/**
 * Parses an RFC 3339 date-time in UTC. Returns milliseconds since the Unix epoch, truncated (not rounded), or null if
 * the text is invalid. Seconds are required. The zone must be `Z`, `z` or `+00:00`: `-00:00` means "offset unknown"
 * (RFC 3339 section 4.3) and is invalid, as is every other offset. A leap second is invalid too: `Date` has none.
 */
export function parseUtcTimestamp(text: string): number | null {
  // The pattern has checked the calendar. `Date.parse` reads neither `t` nor `z`, and V8 misreads some long fractions.
  return pattern.test(text) ? Date.parse(text.replace(longFraction, '$1').toUpperCase()) : null;
}

/** Returns the earlier of two times. Null counts as no time. */
export function pickEarlier(current: Date | null, candidate: Date): Date {
  return current !== null && current <= candidate ? current : candidate;
}
