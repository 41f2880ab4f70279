export interface PageRequest {
  /** The first page is 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** A page of rows: how many to skip, and how many to return at most. */
export interface RowRange {
  readonly offset: number;
  readonly limit: number;
}

/** A row of a list. Null: the stored row is damaged. It keeps its place, so that pages and totals stay right. */
export type ListedRow<T> = T | null;

export const defaultPageSize = 50;
export const maxPageSize = 200;
/** The largest 32-bit integer. With `maxPageSize`, the offset is still a safe integer. */
export const maxPage = 2_147_483_647;

/** Returns the number of rows before the page. */
export function toOffset(request: PageRequest): number {
  return (request.page - 1) * request.pageSize;
}

/** Returns the number of pages. Returns 0 for no items. */
export function countPages(totalItems: number, pageSize: number): number {
  return Math.ceil(totalItems / pageSize);
}
