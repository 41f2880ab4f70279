import { texts } from '../texts/texts.ts';
import { formatAbsolute, formatRelative } from './format.ts';
import { readNowMs } from './now.ts';

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
      {formatAbsolute(atMs)} <span class="muted">({formatRelative(atMs, readNowMs())})</span>
    </time>
  );
}
