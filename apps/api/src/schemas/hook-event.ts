import { hookKinds } from '@widget-service/shared/domain/event-kind.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';
import { utcTimeFormat, uuid } from './text.ts';

/** How far the time of a hook may be ahead of our clock: a sender may write its local time as UTC. */
const aheadMaxMs = 86_400_000;

interface TimeMistake {
  readonly mistake: 'format' | 'too-small' | 'too-large';
  readonly message: string;
}

/**
 * Returns what is wrong with the time of a hook, or null. 1970 is accepted, because an unset clock shows it, and
 * `applyHooks` copes with it. No clock shows an earlier time.
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

const hookTime = z
  .string()
  .check(({ value, issues }) => {
    const found = findTimeMistake(value, Date.now());
    if (found === null) return;
    issues.push({ code: 'custom', message: found.message, params: { mistake: found.mistake }, input: value });
  })
  .meta(utcTimeFormat);

/**
 * Checks only that it is an object, null or absent. Its members are free-form: walking through them would cost time on
 * every hook and find no mistakes.
 */
const objectOrNull = z
  .unknown()
  .check(({ value, issues }) => {
    if (value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))) return;
    issues.push({ code: 'invalid_type', expected: 'object', input: value });
  })
  .optional()
  .meta({ type: ['object', 'null'], additionalProperties: {} });

/** The body of a hook. Unknown members are ignored, because senders add fields. */
export const hookEventSchema = z
  .object({
    kind: z.enum(hookKinds).describe('What happened.'),
    occurredAt: hookTime.describe(
      'When it happened, in UTC: from 1970 to 24 hours after the time of the service. A time after that of the receipt counts as that.',
    ),
    widgetId: uuid
      .nullish()
      .describe(
        'The widget concerned. A hook with an unknown widget, or none, changes no widget but still becomes an event on the streams.',
      ),
    payload: objectOrNull.describe('Free-form content attached by the sender. The service passes it on unchanged.'),
  })
  .meta({
    id: 'HookEvent',
    description: 'A hook: what an outside system reports about a widget. Unknown members are ignored.',
    examples: [
      {
        kind: 'updated',
        occurredAt: '2026-03-02T10:59:58.000Z',
        widgetId: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
        payload: { pressure: 4.2 },
      },
    ],
  });
