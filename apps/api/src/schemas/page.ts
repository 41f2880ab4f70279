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
import {
  type CountableStore,
  type CountedPage,
  listCountedPage,
  TooDeepPageError,
} from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { invalidRequest } from '../http/problem.ts';
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

interface PageBody<Item> extends PageRequest {
  readonly items: Item[];
  readonly totalItems: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly unreadableItems?: number;
}

/** Reads one page of a list: see `listCountedPage`. A page too deep in the list is a mistake in the query. */
export function readPage<Filter, Row>(
  store: CountableStore<Filter, Row>,
  filter: Filter,
  query: PageRequest,
): Promise<CountedPage<Row>> {
  return listCountedPage(store, filter, query).catch((error: unknown) => {
    if (!(error instanceof TooDeepPageError)) throw error;
    throw invalidRequest({ detail: error.message, code: 'too-large', parameter: 'page' });
  });
}

/** Selects one page of a list that was read as a whole. */
export function selectPage<Row>(request: PageRequest, all: readonly ListedRow<Row>[]): CountedPage<Row> {
  const offset = toOffset(request);
  const end = offset + request.pageSize;
  return { items: all.slice(offset, end), totalItems: all.length, hasNext: end < all.length };
}

/** Converts one page of a list to the form that the API returns. */
export function toPageBody<Row, Item>(
  { page, pageSize }: PageRequest,
  { items, totalItems, hasNext }: CountedPage<Row>,
  toItem: (row: Row) => Item,
): PageBody<Item> {
  const totalPages = countPages(totalItems, pageSize);
  return { ...toReadableItems(items, toItem), page, pageSize, totalItems, totalPages, hasNext };
}

/** Leaves out the items whose row is damaged, and says how many they are. */
function toReadableItems<Row, Item>(rows: readonly ListedRow<Row>[], toItem: (row: Row) => Item) {
  const readable = rows.filter((row) => row !== null);
  const unreadableItems = rows.length - readable.length;
  return { items: readable.map(toItem), ...(unreadableItems === 0 ? {} : { unreadableItems }) };
}
