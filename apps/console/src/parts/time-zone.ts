import { effect, signal } from '@preact/signals';
import { readTimeZone } from './locale.ts';
import { browserStorage } from './storage.ts';

type TimeZone = 'local' | 'utc';

const storageKey = 'console-time-zone';

/** The time zone of all times that the console shows and takes: that of the browser, or UTC. */
export const timeZone = signal<TimeZone>('local');

/** Applies the choice of the last visit, and keeps it for the next one. */
export function followTimeZone(): void {
  timeZone.value = browserStorage.read(storageKey) === 'utc' ? 'utc' : 'local';
  effect(() => browserStorage.write(storageKey, timeZone.value));
}

const named = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;

/** The time zone of the browser, by its name. UTC if the browser names none that it knows. */
export const browserTimeZone = signal(readTimeZone(named) ?? 'UTC');

/** What the browser calls a time zone that it does not know, or null. */
export const unknownTimeZone = readTimeZone(named) === null ? String(named) : null;

/** The name of the zone in the database of time zones: `Europe/Berlin`, `UTC`. */
export function nameTimeZone(zone: TimeZone = timeZone.value): string {
  return zone === 'utc' ? 'UTC' : browserTimeZone.value;
}

/** Returns what an input of the type `datetime-local` shows: the time in the zone, to the second. Empty for null. */
export function toLocalText(value: string | null): string {
  if (value === null) return '';
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return '';
  const offsetMs = nameTimeZone() === 'UTC' ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}

/** The other direction: what such an input holds, as RFC 3339 in UTC. Null for an empty or an unfinished text. */
export function readLocalText(text: string): string | null {
  const ms = Date.parse(nameTimeZone() === 'UTC' ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
