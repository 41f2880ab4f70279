import { defaultPageSize, maxPage, maxPageSize } from '@widget-service/shared/domain/page.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { timestamp } from './text.ts';
import { widgetSchema } from './widget.ts';

const digits = /^(?:0|[1-9]\d{0,15})$/;

/** An integer of a query: digits only, no sign, no leading zero; outside its range it is refused, never clamped. */
function queryInteger(min: number, max: number, fallback: number) {
  return z
    .string()
    .regex(digits)
    .transform(Number)
    .check(({ value, issues }) => {
      const bounds = { origin: 'number', inclusive: true, input: value } as const;
      if (value < min) issues.push({ ...bounds, code: 'too_small', minimum: min });
      if (value > max) issues.push({ ...bounds, code: 'too_big', maximum: max });
    })
    .optional()
    .transform((given) => given ?? fallback)
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback, pattern: undefined });
}

const time = z.string().transform((text, { issues }) => {
  const parsed = parseUtcTimestamp(text);
  if (parsed === null) issues.push({ code: 'custom', message: 'Must be an RFC 3339 time in UTC.', input: text });
  return new Date(parsed ?? 0);
});

export const listWidgetsQuerySchema = z.strictObject({
  page: queryInteger(1, maxPage, 1),
  pageSize: queryInteger(1, maxPageSize, defaultPageSize),
  state: z.enum(widgetStates).optional(),
  asOf: time.optional().meta({ type: 'string', format: 'date-time' }),
});

export const widgetPageSchema = z.object({
  items: z.array(widgetSchema),
  page: z.int().min(1),
  pageSize: z.int().min(1),
  totalItems: z.int().min(0),
  totalPages: z.int().min(0),
  hasNext: z.boolean(),
  asOf: timestamp,
  streamCursor: z.string().nullable(),
});
