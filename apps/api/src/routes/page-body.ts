import type { RowRange } from '@widget-service/shared/domain/page.ts';
import { countPages, type PageRequest, toOffset } from '@widget-service/shared/domain/page.ts';

interface PageBody<Item> extends PageRequest {
  readonly items: Item[];
  readonly totalItems: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
}

/** Converts a page request to the row range that a store reads. */
export function toRowRange(request: PageRequest): RowRange {
  return { offset: toOffset(request), limit: request.pageSize };
}

/**
 * Converts one page of a list to the form that the API returns. `rows` is the store's result for `toRowRange`, or what
 * `listCountedPage` returns: its total may be a lower bound, so it says itself whether there is a next page.
 */
export function toPageBody<Row, Item>(
  { page, pageSize }: PageRequest,
  rows: { readonly items: readonly Row[]; readonly totalItems: number; readonly hasNext?: boolean },
  toItem: (row: Row) => Item,
): PageBody<Item> {
  const totalPages = countPages(rows.totalItems, pageSize);
  return {
    items: rows.items.map(toItem),
    page,
    pageSize,
    totalItems: rows.totalItems,
    totalPages,
    hasNext: rows.hasNext ?? page < totalPages,
  };
}
