import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';

/** How far the time of a hook may be ahead of our clock: a sender may write its local time as UTC. */
const aheadMaxMs = 86_400_000;

interface TimeMistake {
  readonly mistake: 'format' | 'too-small' | 'too-large';
  readonly message: string;
}

/**
 * Returns what is wrong with the time of a hook, or null. A clock can have shown it: an unset clock shows 1970;
 * `applyHooks` copes with that.
 */
export function findTimeMistake(text: string, nowMs: number): TimeMistake | null {
  const parsedMs = parseUtcTimestamp(text);
  if (parsedMs === null) {
    return { mistake: 'format', message: 'Must be an RFC 3339 time in UTC, at most 64 characters long.' };
  }
  if (parsedMs < 0) {
    return { mistake: 'too-small', message: 'Must not be before 1970: the clock of the sender is not set.' };
  }
  if (parsedMs <= nowMs + aheadMaxMs) return null;
  const message = 'Must be at most 24 hours ahead of the clock of the service: check the clock of the sender.';
  return { mistake: 'too-large', message };
}
