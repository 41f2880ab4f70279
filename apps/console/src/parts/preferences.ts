import { effect, type Signal, signal } from '@preact/signals';

/**
 * What is kept for all tabs, beyond this visit. A browser that blocks the data of sites throws at every use of a
 * storage, at its name already. So does a full disk at each write. The page then works without what it would have kept.
 */
export const browserStorage = {
  /** Null: there is no such text, or the browser keeps nothing for this page. */
  read: (key: string): string | null => attempt(() => localStorage.getItem(key)),
  write: (key: string, text: string): void => void attempt(() => localStorage.setItem(key, text)),
};

/** Null if the browser throws. */
export function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/**
 * Returns the locale that a browser names, as `Intl` knows it, or English. Browsers hand on what the system says, also
 * in the notation of POSIX: `en_US`, `en-US@posix`, `de_DE.UTF-8`, `C`.
 */
export function readLocale(named: unknown): string {
  const tag = String(named)
    .replace(/[.@].*/s, '')
    .replaceAll('_', '-');
  return attempt(() => new Intl.NumberFormat(tag).resolvedOptions().locale) ?? 'en';
}

/** Returns the time zone that a browser names, or null if it does not know that zone itself: `Etc/Unknown`. */
export function readTimeZone(named: unknown): string | null {
  if (typeof named !== 'string') return null;
  return attempt(() => new Intl.DateTimeFormat('en', { timeZone: named }).resolvedOptions().timeZone);
}

/** Makes a signal that has the choice of the last visit, or the first value, and keeps it for the next visit. */
function keepChoice<Value extends string>(key: string, values: readonly Value[], first: Value): Signal<Value> {
  const kept = browserStorage.read(key);
  const choice = signal(values.find((value) => value === kept) ?? first);
  effect(() => browserStorage.write(key, choice.value));
  return choice;
}

type TimeZone = 'local' | 'utc';

/** The time zone of all times that the console shows and takes: that of the browser, or UTC. */
export const timeZone = keepChoice<TimeZone>('console-time-zone', ['local', 'utc'], 'local');

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

/** The themes with their names. */
export const themeNames = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
type Theme = (typeof themeNames)[number][0];

/** `--ground` of `styles/tokens.css`. */
const groundColours = { light: '#fbfbfc', dark: '#0c0e12' } as const;

const themes = themeNames.map(([name]) => name);
export const theme = keepChoice<Theme>('console-theme', themes, 'system');

/** Applies the theme. `styles/tokens.css` has the colours. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    paintBrowser(theme.value);
  });
}

/** Gives the frame of the browser the colour of the page. The document has one for each scheme of the system. */
function paintBrowser(shown: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const scheme = shown === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : shown;
    meta.content = groundColours[scheme];
  }
}
