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

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
