import type { components } from '../interface.ts';

/** A page of any list of the service except the list of widgets. */
export interface NumberedPage<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/**
 * Reads a list page by page and yields its items. `readPage` gets the number of the page, from 1.
 *
 * An item may come twice, or be missed, if others are added or removed meanwhile. Use `listWidgets` for widgets: it
 * misses none.
 */
export async function* readAllPages<Item>(
  readPage: (page: number) => Promise<NumberedPage<Item>>,
): AsyncGenerator<Item, void, void> {
  for await (const { items } of walkNumberedPages(readPage)) yield* items;
}

/** One page of the list of widgets. */
export type WidgetPage = components['schemas']['PagedResultWidget'];

/** Which page of the list of widgets to read. */
export interface WidgetPageQuery {
  readonly page: number;
  /** 1 to 200. */
  readonly pageSize: number;
  readonly state?: 'active' | 'retired';
  /** Lists only widgets that were created up to this time. */
  readonly asOf?: string;
}

/** Reads one page of the list of widgets. */
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
      for await (page of walkNumberedPages((number) => readPage({ asOf, page: number, pageSize }))) {
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

async function* walkNumberedPages<Page extends { readonly hasNext: boolean }>(
  readPage: (page: number) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const read = await readPage(page);
    hasNext = read.hasNext;
    yield read;
  }
}
