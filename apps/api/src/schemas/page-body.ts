import { countPages, type ListedRow, type PageRequest, toOffset } from '@widget-service/shared/domain/page.ts';
import type { TooDeepPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { InputError } from '../http/problem.ts';

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
  return new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', [
    {
      detail: `Must begin within the first ${readableRows} items. Select older ones by time, if the list has a parameter for it.`,
      code: 'too-large',
      parameter: 'page',
    },
  ]);
}
