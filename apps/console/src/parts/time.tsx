import { signal } from '@preact/signals';
import { readServiceMs } from '../service/service-clock.ts';
import { formatAbsolute, formatClockTime, formatRelative } from './format.ts';

/** A change renders the components that read it again. By the clock of this machine. */
const renewedAtMs = signal(0);
const renewMs = 5_000;

/** The time of the service. A component that reads it is rendered again every 5 s while the page is visible. */
function readNowMs(): number {
  void renewedAtMs.value;
  return readServiceMs();
}

export function followClock(): void {
  const renew = () => {
    if (!document.hidden) renewedAtMs.value = Date.now();
  };
  setInterval(renew, renewMs);
  document.addEventListener('visibilitychange', renew);
}

/** A time in words, relative to now. The absolute time shows on hover, and to screen readers after it. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">never</span>;
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatAbsolute(atMs)}>
      {formatRelative(atMs, readNowMs())}
    </time>
  );
}

/** A time in words, relative and absolute. */
export function FullTime({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">never</span>;
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
