import { hookKinds } from '@widget-service/shared/domain/hook-event.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';
import { uuid } from './text.ts';

const utcTime = z
  .string()
  .refine((text) => parseUtcTimestamp(text) !== null, 'Must be an RFC 3339 time in UTC, at most 64 characters long.')
  .meta({ format: 'date-time' });

/** Only its kind is looked at: a walk through all it holds would cost time on every hook, and says nothing. */
const anyObject = z
  .unknown()
  .check(({ value, issues }) => {
    if (value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))) return;
    issues.push({ code: 'invalid_type', expected: 'object', input: value });
  })
  .optional()
  .meta({ type: ['object', 'null'], additionalProperties: {} });

/** The body of a hook. Members it does not name are ignored, because senders add fields. */
export const hookEventSchema = z
  .object({
    kind: z.enum(hookKinds).describe('What happened.'),
    occurredAt: utcTime.describe('When it happened, in UTC.'),
    widgetId: uuid
      .nullish()
      .describe('The widget concerned. An event of an unknown widget has no effect, and is told all the same.'),
    payload: anyObject.describe('Free-form content attached by the sender; it is passed on as it is.'),
  })
  .meta({
    id: 'HookEvent',
    description: 'What an outside system tells. Members beyond these are ignored.',
    examples: [
      {
        kind: 'updated',
        occurredAt: '2026-03-02T10:59:58.000Z',
        widgetId: '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01',
        payload: { pressure: 4.2 },
      },
    ],
  });
