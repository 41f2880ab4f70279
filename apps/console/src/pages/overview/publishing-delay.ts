import type { Schemas } from '../../service/service.ts';

/** Publishing takes less, unless something is slow, in milliseconds. */
const usualMs = 10_000;

/** Returns since when a change of a widget has been waiting to be published, or null if that is not long. */
export function readPublishingDelay({
  at,
  outboxesWaitingSince: since,
}: Pick<Schemas['Overview'], 'at' | 'outboxesWaitingSince'>): string | null {
  if (since === null) return null;
  return Date.parse(at) - Date.parse(since) > usualMs ? since : null;
}
