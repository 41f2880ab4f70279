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

/** What every list takes; a list with more to ask for extends it, and stays strict. */
export const pageQuerySchema = z.strictObject({
  page: queryInteger(1, maxPage, 1).describe('One-based; past the end there are no items.'),
  pageSize: queryInteger(1, maxPageSize, defaultPageSize).describe('Rows per page; more than 200 are refused.'),
});

/** What every list answers: one page, and where it stands among the others. It is named after its items. */
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
      .meta({ description: '0 when there is nothing.', examples: [1] }),
    hasNext: z.boolean().meta({ examples: [false] }),
  });
  const { id } = z.globalRegistry.get(item) ?? {};
  return id === undefined ? page : page.meta({ id: `PagedResult${id}` });
}

export const listWidgetsQuerySchema = pageQuerySchema.extend({
  state: z.enum(widgetStates).optional().describe('Only widgets in this state.'),
  asOf: time.optional().meta({
    type: 'string',
    format: 'date-time',
    description:
      'Only widgets created up to this time, in UTC. Left out, it is set by the service and answered; give it with the further pages (`Link` does), so that widgets created meanwhile shift none.',
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
          'Where to begin a stream (`lastEventId`) that goes on exactly where this list ends; null when no position is known yet.',
        examples: ['k3f9.1764000000000.1284'],
      }),
  })
  .meta({
    id: 'PagedResultWidget',
    description:
      'One page of widgets, newest first. `hasNext` is always exact, `totalItems` up to 1 000; above that it may be five seconds old. Where counting fails or takes longer than about a second, it is the last total known, or what was seen so far.',
  });
