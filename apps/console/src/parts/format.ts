const locale = 'en';

const counts = new Intl.NumberFormat(locale);
/** `100000` as `100,000`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });

/** Says how far a time is from now: `5 min. ago`, `in 2 hr.`, `now`. */
export function formatRelative(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return relative.format(Math.trunc(seconds / size), unit);
}

const absolute = new Intl.DateTimeFormat(locale, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});
/** In the time zone of the browser, which it names. */
export function formatAbsolute(atMs: number): string {
  return absolute.format(atMs);
}

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** `14:05`, in the time zone of the browser. */
export function formatClock(atMs: number): string {
  return clock.format(atMs);
}

const time = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
/** `14:05:59`, in the time zone of the browser. */
export function formatTime(atMs: number): string {
  return time.format(atMs);
}

const day = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
/** `14:05:59` today, otherwise `Mar 1, 14:05:59`, in the time zone of the browser. */
export function formatClockTime(atMs: number, nowMs: number): string {
  const isToday = day.format(atMs) === day.format(nowMs);
  return isToday ? formatTime(atMs) : `${dayOfYear.format(atMs)}, ${formatTime(atMs)}`;
}

/** The time zone of the browser: `Europe/Berlin`. */
export const { timeZone } = clock.resolvedOptions();

const byteUnits = ['B', 'KiB', 'MiB', 'GiB'];
/** `1536` as `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), byteUnits.length - 1);
  const value = bytes / 1_024 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${byteUnits[power]}`;
}

/** A duration in the two largest units that matter: `2 h 5 min`, `3.4 s`, `80 ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
