export interface PageRequest {
  /** One-based. */
  readonly page: number;
  readonly pageSize: number;
}

export const defaultPageSize = 50;
export const maxPageSize = 200;
export const maxPage = 2_147_483_647;

/** How many rows stand before the page. */
export function toOffset(request: PageRequest): number {
  return (request.page - 1) * request.pageSize;
}

/** 0 when there is nothing. */
export function countPages(totalItems: number, pageSize: number): number {
  return Math.ceil(totalItems / pageSize);
}
