import { parseUtcTimestamp } from './timestamp.ts';

export const timeFormats = ['rfc3339', 'unix-seconds', 'unix-milliseconds'] as const;
export type TimeFormat = (typeof timeFormats)[number];

const fraction = '(?:[.,](?<fraction>\\d{1,38}))?';
const zone = '(?:Z|UTC?|GMT|(?<sign>[+-])(?<zoneHour>[01]\\d|2[0-3])(?::?(?<zoneMinute>[0-5]\\d))?)';
/** ISO 8601 and RFC 3339, also with a space for the `T`, in the basic form, or as Ruby writes times (`… +0100`). */
const isoPattern = new RegExp(
  `^(?<year>\\d{4})-?(?<month>\\d\\d)-?(?<day>\\d\\d)[T ](?<hour>\\d\\d):?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)${fraction})? ?${zone}$`,
  'i',
);
/** RFC 5322, as in mails and in the header `Date`. The day of the week is not compared. */
const mailPattern = new RegExp(
  `^(?:[a-z]{3}, )?(?<day>\\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\\d{4}) (?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d))? ${zone}$`,
  'i',
);
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const numberPattern = /^(0|[1-9]\d{0,14})(?:\.(\d{1,38}))?(?:e([+-]?\d{1,2}))?$/i;
/** The end of the year 9999: RFC 3339 has no later time. */
const secondsMax = 253_402_300_799;
const fractionMax = 38;

/**
 * Converts a time of a foreign sender to RFC 3339 in UTC. The digits of a second's fraction stay as they were sent.
 * Some senders write one time in two notations, so each format takes every notation that has one meaning:
 * - a date and time with its zone;
 * - a number, also with an exponent. `format` says what it counts, but 13 digits are always milliseconds (2001 to
 *   2286). With `rfc3339`, 10 digits are seconds, and no other number is a time: 20261125 may be a date.
 *
 * Returns null for any other text, and for a time before the year 0 or after 9999 in UTC.
 */
export function toUtcTime(text: string, format: TimeFormat): string | null {
  const groups = (isoPattern.exec(text) ?? mailPattern.exec(text))?.groups;
  return groups === undefined ? fromNumber(text, format) : fromGroups(groups);
}

function fromGroups(groups: Readonly<Record<string, string | undefined>>): string | null {
  const { year, monthName, day = '', hour, minute, second = '00', fraction = '' } = groups;
  const month = groups.month ?? `${monthNames.indexOf(monthName?.toLowerCase() ?? '') + 1}`.padStart(2, '0');
  const localMs = parseUtcTimestamp(`${year}-${month}-${day.padStart(2, '0')}T${hour}:${minute}:${second}Z`);
  if (localMs === null) return null;
  const { sign, zoneHour = '0', zoneMinute = '0' } = groups;
  const offsetMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  return toText((localMs - offsetMs) / 1_000, fraction);
}

/** Moves the decimal point in the text itself, so that every digit stays. */
function fromNumber(text: string, format: TimeFormat): string | null {
  const match = numberPattern.exec(text);
  if (match === null) return null;
  const [, whole = '', rest = '', exponent = '0'] = match;
  const digits = `${whole}${rest}`;
  const length = whole.length + Number(exponent);
  if (format === 'rfc3339' && length !== 10 && length !== 13) return null;
  const isMilliseconds = format === 'unix-milliseconds' || length === 13;
  const point = isMilliseconds ? length - 3 : length;
  const fraction = point < 0 ? `${'0'.repeat(-point)}${digits}` : digits.slice(point);
  if (fraction.length > fractionMax) return null;
  return toText(Number(point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0')), fraction);
}

function toText(seconds: number, fraction: string): string | null {
  if (seconds > secondsMax) return null;
  const text = new Date(seconds * 1_000).toISOString();
  // Years before 0 are written with a sign.
  return text.length === 24 ? `${text.slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z` : null;
}
