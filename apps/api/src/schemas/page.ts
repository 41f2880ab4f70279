import { defaultPageSize, maxPage, maxPageSize } from '@widget-service/shared/domain/page.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { widgetStates } from '@widget-service/shared/domain/widget.ts';
import { z } from 'zod';
import { widgetSchema } from '../widgets/widget-schema.ts';
import { timestamp, utcTimeFormat } from './text.ts';

/** At most 16 digits. A longer text is malformed, not too large. */
const digits = /^(?:0|[1-9]\d{0,15})$/;

/**
 * An integer in a query: digits only, no sign, no leading zero. Outside its range it is an error, never clamped. The
 * OpenAPI document shows it as an `integer`, to which the pattern of the text does not apply.
 */
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
    .transform((value) => value ?? fallback)
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback, pattern: undefined });
}

/** A time in a query: RFC 3339 in UTC. */
export const queryTime = z.string().transform((text, { issues }) => {
  const parsedMs = parseUtcTimestamp(text);
  if (parsedMs === null) issues.push({ code: 'custom', message: 'Must be an RFC 3339 time in UTC.', input: text });
  // After an issue, zod drops the value.
  return new Date(parsedMs ?? 0);
});

/** The query of every list. Lists with more parameters extend it and stay strict. */
export const pageQuerySchema = z.strictObject({
  page: queryInteger(1, maxPage, 1).describe('The page number, from 1. A page past the end has no items.'),
  pageSize: queryInteger(1, maxPageSize, defaultPageSize).describe('Items per page. More than 200 is an error.'),
});

/** The query of the lists of grants. */
export const listGrantsQuerySchema = pageQuerySchema.extend({
  createdBefore: queryTime.optional().meta({
    ...utcTimeFormat,
    description: 'Only those that were created before this time, in UTC.',
  }),
  expiresBefore: queryTime.optional().meta({
    ...utcTimeFormat,
    description: 'Only those that expire before this time, in UTC, or have expired already.',
  }),
});

/** The response body of every list: one page and its place among all pages. The schema is named after its items. */
export function toPageSchema<Item extends z.ZodType>(item: Item) {
  const page = z.object({
    items: z.array(item),
    page: z.int().min(1),
    pageSize: z
      .int()
      .min(1)
      .meta({ examples: [50] }),
    totalItems: z
      .int()
      .min(0)
      .meta({ examples: [1] }),
    totalPages: z
      .int()
      .min(0)
      .meta({ description: '0 if there are no items.', examples: [1] }),
    hasNext: z.boolean().meta({ examples: [false] }),
  });
  const { id } = z.globalRegistry.get(item) ?? {};
  return id === undefined ? page : page.meta({ id: `PagedResult${id}` });
}

export const listWidgetsQuerySchema = pageQuerySchema.extend({
  state: z.enum(widgetStates).optional().describe('Only widgets in this state.'),
  asOf: queryTime.optional().meta({
    ...utcTimeFormat,
    description:
      'Only widgets created up to this time, in UTC. If you leave it out, the service chooses a time and returns it. Send that time with the requests for further pages (as the `Link` header does), so that new widgets do not shift the pages.',
  }),
});

export const widgetPageSchema = toPageSchema(widgetSchema)
  .extend({
    asOf: timestamp.describe('Only widgets created up to this time are listed and counted.'),
    streamCursor: z
      .string()
      .nullable()
      .meta({
        description:
          'Send it as `lastEventId` to open a stream that misses no event after this list. Its first events may already be part of the list: compare `version`. Null until the server has read the event log for the first time.',
        examples: ['k3f9.1764000000000.1284'],
      }),
  })
  .meta({
    id: 'PagedResultWidget',
    description:
      'One page of widgets, newest first. `hasNext` is always exact. `totalItems` is exact up to 1 000; above that it may be five seconds old. If counting fails or takes longer than about a second, it is the last known total, or, without one, a lower bound.',
  });
