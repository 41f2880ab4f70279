import { signal } from '@preact/signals';
import { texts } from '../texts/texts.ts';
import { formatAbsolute, formatClockTime, formatRelative } from './format.ts';

const nowMs = signal(Date.now());
const renewMs = 5_000;

/** The time of this machine. A component that reads it is rendered again every 5 s while the page is visible. */
function readNowMs(): number {
  // What has just happened must not seem to lie in the future.
  return Math.max(nowMs.value, Date.now());
}

export function followClock(): void {
  const renew = () => {
    if (!document.hidden) nowMs.value = Date.now();
  };
  setInterval(renew, renewMs);
  document.addEventListener('visibilitychange', renew);
}

/** A time in words, relative to now. The absolute time shows on hover, and to screen readers after it. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">{texts.general.never}</span>;
  const atMs = Date.parse(at);
  const absolute = formatAbsolute(atMs);
  return (
    <time dateTime={at} title={absolute}>
      {formatRelative(atMs, readNowMs())}
    </time>
  );
}

/** A time in words, relative and absolute. */
export function FullTime({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">{texts.general.never}</span>;
  const atMs = Date.parse(at);
  return (
    <time dateTime={at}>
      {formatAbsolute(atMs)} <span class="muted unbroken">({formatRelative(atMs, readNowMs())})</span>
    </time>
  );
}

/** A time by the clock, for lists where the order counts. The absolute and the relative time show on hover. */
export function ClockTime({ at }: { readonly at: string }) {
  const atMs = Date.parse(at);
  const now = readNowMs();
  return (
    <time dateTime={at} title={`${formatAbsolute(atMs)} (${formatRelative(atMs, now)})`}>
      {formatClockTime(atMs, now)}
    </time>
  );
}
