import { countPages, type PageRequest, toOffset } from '@widget-service/shared/domain/page.ts';
import type { RowRange } from '@widget-service/shared/ports/grant-store.ts';

export interface PageBody<Item> extends PageRequest {
  readonly items: Item[];
  readonly totalItems: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
}

/** The rows of a page, as a store is asked for them. */
export function toRowRange(request: PageRequest): RowRange {
  return { offset: toOffset(request), limit: request.pageSize };
}

/** One page of a list in the form that is returned: `found` is what the store gave for the page's `rangeOf`. */
export function toPageBody<Row, Item>(
  { page, pageSize }: PageRequest,
  found: { readonly items: readonly Row[]; readonly totalItems: number },
  toItem: (row: Row) => Item,
): PageBody<Item> {
  const totalPages = countPages(found.totalItems, pageSize);
  return {
    items: found.items.map(toItem),
    page,
    pageSize,
    totalItems: found.totalItems,
    totalPages,
    hasNext: page < totalPages,
  };
}
