import { computed, signal } from '@preact/signals';
import { nameTimeZone } from './preferences.ts';

/** Numbers and dates are written as the reader of the page knows them, whose browser names this locale. */
export const locale = signal('en');

const counts = computed(() => new Intl.NumberFormat(locale.value));
/** `100000` as `100,000`. */
export function formatCount(count: number): string {
  return counts.value.format(count);
}

/** `1 hook`, `1,482 hooks`. */
export function formatCountOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/**
 * Says how far a time is from now: `5 min ago`, `in 2 h`, `now`, `yesterday 14:05`, `3 days ago`. Numbers follow the
 * locale of the reader; the words are those of the console.
 */
export function formatRelative(atMs: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(atMs - nowMs) / 1_000);
  if (seconds === 0) return 'now';
  const isPast = atMs < nowMs;
  const say = (text: string) => (isPast ? `${text} ago` : `in ${text}`);
  if (seconds < 60) return say(`${seconds} s`);
  if (seconds < 3_600) return say(`${Math.floor(seconds / 60)} min`);
  if (seconds < daySeconds) return say(`${Math.floor(seconds / 3_600)} h`);
  const { clock } = formats.value;
  const nextDayMs = nowMs + (isPast ? -1 : 1) * daySeconds * 1_000;
  if (isSameDay(atMs, nextDayMs)) return `${isPast ? 'yesterday' : 'tomorrow'} ${clock.format(atMs)}`;
  const days = Math.floor(seconds / daySeconds);
  return say(formatCountOf(days, 'day'));
}

const daySeconds = 86_400;

/** With 24 hours in every locale, as logs and dashboards have them. */
const formats = computed(() => {
  const common = { hourCycle: 'h23', timeZone: nameTimeZone() } as const;
  const minutes = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const create = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale.value, { ...common, ...options });
  return {
    absolute: create({ ...day, ...minutes, second: '2-digit', timeZoneName: 'short' }),
    day: create(day),
    dayOfYear: create({ month: 'short', day: 'numeric' }),
    clock: create(minutes),
    time: create({ ...minutes, second: '2-digit' }),
    exactTime: create({ ...minutes, second: '2-digit', fractionalSecondDigits: 3 }),
  };
});

/** `Nov 25, 2026, 14:05:59 GMT+1`: in the chosen time zone, which it names. */
export function formatAbsolute(atMs: number): string {
  return formats.value.absolute.format(atMs);
}

/** `14:05`, in the chosen time zone. */
export function formatClock(atMs: number): string {
  return formats.value.clock.format(atMs);
}

/** `14:05:59`, in the chosen time zone. */
export function formatTime(atMs: number): string {
  return formats.value.time.format(atMs);
}

/** `14:05:59` today, otherwise `Mar 1, 14:05:59`, in the chosen time zone. */
export function formatClockTime(atMs: number, nowMs: number): string {
  return isSameDay(atMs, nowMs) ? formatTime(atMs) : `${formats.value.dayOfYear.format(atMs)}, ${formatTime(atMs)}`;
}

/** Whether two times are on one day of the chosen time zone. */
export function isSameDay(atMs: number, otherMs: number): boolean {
  const { day } = formats.value;
  return day.format(atMs) === day.format(otherMs);
}

/** `14:05:59.123`, in the chosen time zone. */
export function formatExactTime(atMs: number): string {
  return formats.value.exactTime.format(atMs);
}

/** Writes a number with this many decimals, in the reader's locale: `3.4`, `3,4`. */
export function formatDecimal(value: number, digits: number): string {
  return value.toLocaleString(locale.value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB'];
/** `1536` as `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), byteUnits.length - 1);
  const value = bytes / 1_024 ** power;
  return `${formatDecimal(value, value < 10 && power > 0 ? 1 : 0)} ${byteUnits[power]}`;
}

/** A duration in the two largest units that matter: `2 h 5 min`, `3.4 s`, `80 ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / 1_000;
  if (seconds < 60) return `${formatDecimal(seconds, seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
