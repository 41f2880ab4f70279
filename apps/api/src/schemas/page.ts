import {
  countPages,
  defaultPageSize,
  type ListedRow,
  maxPage,
  maxPageSize,
  type PageRequest,
  toOffset,
} from '@widget-service/shared/domain/page.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import type { TooDeepPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { type InputError, invalidRequest } from '../http/problem.ts';
import { forStringLength, utcTimeFormat } from './text.ts';

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

/** A time in a request: RFC 3339 in UTC. */
export const timeText = z.string().transform((text, { issues }) => {
  const parsedMs = parseUtcTimestamp(text);
  if (parsedMs === null) issues.push({ code: 'custom', message: 'Must be an RFC 3339 time in UTC.', input: text });
  // After an issue, zod drops the value.
  return new Date(parsedMs ?? 0);
});

/** The same, by which the request may select. */
export const queryTime = (description: string) => timeText.optional().meta({ ...utcTimeFormat, description });

/** The `webhook-id` of a hook in a query. A list describes what it selects by it. */
export const queryWebhookId = z.string().min(1, forStringLength).optional();

/** The query of every list. Lists with more parameters extend it and stay strict. */
export const pageQuerySchema = z.strictObject({
  page: queryInteger(1, maxPage, 1).describe('The page number, from 1. A page past the end has no items.'),
  pageSize: queryInteger(1, maxPageSize, defaultPageSize).describe('Items per page. More than 200 is an error.'),
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
    unreadableItems: z.int().min(1).optional().meta({
      description:
        'How many items of this page are left out, because what is stored of them is damaged. `totalItems` counts them. Left out: none. Tell the operator of the service.',
    }),
  });
  const { id } = z.globalRegistry.get(item) ?? {};
  return id === undefined ? page : page.meta({ id: `PagedResult${id}` });
}

interface PageOfRows<Row> {
  readonly items: readonly ListedRow<Row>[];
  readonly totalItems: number;
  readonly hasNext?: boolean;
}

interface PageBody<Item> extends PageRequest {
  readonly items: Item[];
  readonly totalItems: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly unreadableItems?: number;
}

/** Selects one page of a list that was read as a whole. */
export function selectPage<Row>(request: PageRequest, all: readonly ListedRow<Row>[]): PageOfRows<Row> {
  const offset = toOffset(request);
  return { items: all.slice(offset, offset + request.pageSize), totalItems: all.length };
}

/**
 * Converts one page of a list to the form that the API returns. `rows` is what `listCountedPage` returns: its total may
 * be a lower bound, so it says itself whether there is a next page. Without `hasNext`, the total is exact. Throws
 * `invalid-request` for a page too deep in a list.
 */
export function toPageBody<Row, Item>(
  { page, pageSize }: PageRequest,
  rows: PageOfRows<Row> | TooDeepPage,
  toItem: (row: Row) => Item,
): PageBody<Item> {
  if ('readableRows' in rows) throw toTooDeepError(rows);
  const totalPages = countPages(rows.totalItems, pageSize);
  return {
    ...toReadableItems(rows.items, toItem),
    page,
    pageSize,
    totalItems: rows.totalItems,
    totalPages,
    hasNext: rows.hasNext ?? page < totalPages,
  };
}

/** Leaves out the items whose row is damaged, and says how many they are. */
export function toReadableItems<Row, Item>(rows: readonly ListedRow<Row>[], toItem: (row: Row) => Item) {
  const readable = rows.filter((row) => row !== null);
  const unreadableItems = rows.length - readable.length;
  return { items: readable.map(toItem), ...(unreadableItems === 0 ? {} : { unreadableItems }) };
}

function toTooDeepError({ readableRows }: TooDeepPage): InputError {
  return invalidRequest({
    detail: `Must begin within the first ${readableRows} items. Select older ones by time, if the list has a parameter for it.`,
    code: 'too-large',
    parameter: 'page',
  });
}
