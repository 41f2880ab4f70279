import { ServiceError } from '../../domain/errors.ts';
import { type ListedRow, type PageRequest, type RowRange, toOffset } from '../../domain/page.ts';
import type { Grant } from '../../entities/grant.ts';
import type { Collection } from '../../ports/collection.ts';

/**
 * The most rows to count, or to skip for a later page. Both take time in proportion to the number of rows, of which
 * there may be hundreds of millions.
 */
const readableRowsMax = 10_000;

export interface CountedPage<Row> {
  readonly items: readonly ListedRow<Row>[];
  /**
   * Exact if at most 10 000 rows match, and on the last page. Otherwise it is a lower bound: never less than 10 000,
   * nor than the number of rows up to the end of this page.
   */
  readonly totalItems: number;
  /** Always exact. */
  readonly hasNext: boolean;
}

/** The page begins after the first 10 000 rows, and there are more rows than that. Nothing was read. */
export class TooDeepPageError extends ServiceError {
  constructor() {
    super(
      'invalid-request',
      `Must begin within the first ${readableRowsMax} items. Select older ones by time, if the list has a parameter for it.`,
    );
    this.name = 'TooDeepPageError';
  }
}

/** The two methods of a store that read a list. */
export interface CountableStore<Filter, Row> {
  list(filter: Filter, range: RowRange): Promise<readonly ListedRow<Row>[]>;
  count(filter: Filter, atMost: number): Promise<number>;
}

/**
 * Reads one page of a list, and counts the list if this is not the last page. If the page begins after the first 10 000
 * rows, it reads no rows, and only counts whether the page is past the end. Throws `TooDeepPageError` if it is not, and
 * `UnavailableError`.
 *
 * The list of widgets is counted by other rules: see `list-widgets.ts`.
 */
export async function listCountedPage<Filter, Row>(
  store: CountableStore<Filter, Row>,
  filter: Filter,
  request: PageRequest,
): Promise<CountedPage<Row>> {
  const offset = toOffset(request);
  if (offset >= readableRowsMax) return countBehindEnd(store, filter);
  const read = await store.list(filter, { offset, limit: request.pageSize + 1 });
  const hasNext = read.length > request.pageSize;
  const items = hasNext ? read.slice(0, request.pageSize) : read;
  const rowsSeen = offset + read.length;
  const isLastPage = !hasNext && (items.length > 0 || request.page === 1);
  const counted = isLastPage ? rowsSeen : await store.count(filter, readableRowsMax);
  // A row that changed between the two reads must not make the total less than the rows that were seen.
  return { items, totalItems: items.length > 0 ? Math.max(counted, rowsSeen) : counted, hasNext };
}

async function countBehindEnd<Filter, Row>(
  store: CountableStore<Filter, Row>,
  filter: Filter,
): Promise<CountedPage<Row>> {
  const totalItems = await store.count(filter, readableRowsMax + 1);
  if (totalItems > readableRowsMax) throw new TooDeepPageError();
  return { items: [], totalItems, hasNext: false };
}

/** Returns the names of the grants with these ids, in one read. An id without a grant is left out. */
export async function readNames(
  grants: Pick<Collection<Grant>, 'list'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = ids.length === 0 ? [] : await grants.list({ id: { oneOf: ids } }, { offset: 0, limit: ids.length });
  return new Map(found.flatMap((grant) => (grant === null ? [] : [[grant.id, grant.name]])));
}
