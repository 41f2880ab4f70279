import type { TimeFormat } from './hook-source.ts';
import { parseUtcTimestamp } from './timestamp.ts';

/** RFC 3339 in any zone. Many senders write a space for the `T`, or an offset without a colon (ISO 8601). */
const zonedPattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,38})?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const secondsPattern = /^(\d{1,12})(\.\d{1,38})?$/;
const millisecondsPattern = /^(\d{1,15})(?:\.(\d{1,35}))?$/;
/** The end of the year 9999: RFC 3339 has no later time. */
const secondsMax = 253_402_300_799;

/**
 * Converts a time of a foreign sender to RFC 3339 in UTC. The digits of a second's fraction stay as they were sent.
 * Returns null if the text is no time of this format, or before the year 0 or after 9999 in UTC.
 */
export function toUtcTime(text: string, format: TimeFormat): string | null {
  if (format === 'rfc3339') return fromZoned(text);
  return format === 'unix-seconds' ? fromSeconds(text) : fromMilliseconds(text);
}

function fromZoned(text: string): string | null {
  const match = zonedPattern.exec(text);
  if (match === null) return null;
  const [, date, time, fraction = '', sign = '+', hours = '00', minutes = '00'] = match;
  const localMs = parseUtcTimestamp(`${date}T${time}Z`);
  if (localMs === null) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return toText((localMs - offsetMs) / 1_000, fraction);
}

function fromSeconds(text: string): string | null {
  const match = secondsPattern.exec(text);
  return match === null ? null : toText(Number(match[1]), match[2] ?? '');
}

function fromMilliseconds(text: string): string | null {
  const match = millisecondsPattern.exec(text);
  if (match === null) return null;
  const [, digits = '', rest = ''] = match;
  const ms = Number(digits);
  return toText(Math.floor(ms / 1_000), `.${`${ms % 1_000}`.padStart(3, '0')}${rest}`);
}

function toText(seconds: number, fraction: string): string | null {
  if (seconds > secondsMax) return null;
  const text = new Date(seconds * 1_000).toISOString();
  // Years before 0 are written with a sign.
  return text.length === 24 ? `${text.slice(0, 19)}${fraction}Z` : null;
}
