import { hookKinds } from '@widget-service/shared/domain/hook-event.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';
import { uuid } from './text.ts';

const utcTime = z
  .string()
  .refine((text) => parseUtcTimestamp(text) !== null, 'Must be an RFC 3339 time in UTC.')
  .meta({ format: 'date-time' });

/** Only its kind is looked at: a walk through all it holds would cost time on every hook, and says nothing. */
const anyObject = z
  .unknown()
  .check(({ value, issues }) => {
    if (value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))) return;
    issues.push({ code: 'invalid_type', expected: 'object', input: value });
  })
  .optional()
  .meta({ type: ['object', 'null'] });

/** The body of a hook. Members it does not name are ignored, because senders add fields. */
export const hookEventSchema = z.object({
  kind: z.enum(hookKinds),
  occurredAt: utcTime,
  widgetId: uuid.nullish(),
  payload: anyObject,
});
