import type { components } from '../interface.ts';

/** One page of the list. */
export type WidgetPage = components['schemas']['PagedResultWidget'];

/** Which page of the list to read. */
export interface WidgetPageQuery {
  readonly page: number;
  /** 1 to 200. */
  readonly pageSize: number;
  readonly state?: 'active' | 'retired';
  /** Lists only widgets that were created up to this time. */
  readonly asOf?: string;
}

/** Reads one page of the list. */
export type ReadWidgetPage = (query: WidgetPageQuery, signal?: AbortSignal) => Promise<WidgetPage>;

/**
 * Reads the pages that follow `first`, a first page of `pageSize` rows. Misses no widget that existed then; a widget
 * may come twice.
 *
 * It does not count through the pages. Each request asks for widgets up to the `createdAt` of the last row, so a row
 * that leaves the filter meanwhile moves no other row out of sight, and the service never skips rows.
 *
 * Example: rows were created at 9, 8, 7, 7, 7 and 3 o'clock, and a page has two. The first page ends at 8. The next
 * request, up to 8, gives 8 and 7. The next, up to 7, gives 7 and 7: it does not get past 7, so it goes on by number.
 */
export async function* walkWidgetPages(
  readPage: ReadWidgetPage,
  first: WidgetPage,
  state?: 'active' | 'retired',
): AsyncGenerator<WidgetPage, void, void> {
  const { pageSize } = first;
  const filter = state === undefined ? {} : { state };
  let asOf = first.asOf;
  for (let page = first; page.hasNext; ) {
    const lastCreatedAt = page.items.at(-1)?.createdAt ?? asOf;
    if (lastCreatedAt === asOf && page !== first) {
      // A whole page of equal times. Numbered pages are safe only without a filter: widgets are never deleted.
      for await (page of walkNumberedPages(readPage, asOf, pageSize)) {
        yield page;
        if (page.items.some(({ createdAt }) => createdAt !== asOf)) break;
      }
      asOf = page.items.at(-1)?.createdAt ?? asOf;
      if (!page.hasNext) return;
    } else {
      asOf = lastCreatedAt;
    }
    page = await readPage({ ...filter, asOf, page: 1, pageSize });
    yield page;
  }
}

async function* walkNumberedPages(
  readPage: ReadWidgetPage,
  asOf: string,
  pageSize: number,
): AsyncGenerator<WidgetPage, void, void> {
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const read = await readPage({ asOf, page, pageSize });
    hasNext = read.hasNext;
    yield read;
  }
}
