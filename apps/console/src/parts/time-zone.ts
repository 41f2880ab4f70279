import { effect, signal } from '@preact/signals';

export const timeZones = ['local', 'utc'] as const;
type TimeZone = (typeof timeZones)[number];

const storageKey = 'console-time-zone';

/** The time zone of all times that the console shows and takes: that of the browser, or UTC. */
export const timeZone = signal<TimeZone>('local');

/** Applies the choice of the last visit, and keeps it for the next one. */
export function followTimeZone(): void {
  const kept = localStorage.getItem(storageKey);
  timeZone.value = timeZones.find((name) => name === kept) ?? 'local';
  effect(() => localStorage.setItem(storageKey, timeZone.value));
}

/** The time zone of the browser, by its name. */
export const browserTimeZone = signal(new Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The name of the zone in the database of time zones: `Europe/Berlin`, `UTC`. */
export function nameTimeZone(zone: TimeZone = timeZone.value): string {
  return zone === 'utc' ? 'UTC' : browserTimeZone.value;
}

/** Returns what an input of the type `datetime-local` shows: the time in the zone, to the second. Empty for null. */
export function toLocalText(value: string | null): string {
  if (value === null) return '';
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return '';
  const offsetMs = timeZone.value === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}

/** The other direction: what such an input holds, as RFC 3339 in UTC. Null for an empty or an unfinished text. */
export function readLocalText(text: string): string | null {
  const ms = Date.parse(timeZone.value === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
