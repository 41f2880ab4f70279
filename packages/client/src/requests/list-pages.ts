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
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const read = await readPage(page);
    hasNext = read.hasNext;
    yield* read.items;
  }
}

type Widget = components['schemas']['Widget'];

/** Which page of the list of widgets to read. */
export interface WidgetPageQuery {
  readonly page: number;
  /** 1 to 200. */
  readonly pageSize: number;
  readonly state?: Widget['state'];
  /** Lists only widgets that were created up to this time. */
  readonly asOf?: string;
}

/**
 * Yields the widgets of a list, newest first. Misses none that existed at the start, and yields none twice.
 *
 * It does not count through the pages. Each request asks for widgets up to the `createdAt` of the last row, so a row
 * that leaves the filter meanwhile moves no other row out of sight, and the service never skips rows.
 *
 * Example: rows were created at 9, 8, 7, 7, 7 and 3 o'clock, and a page has two. The first page ends at 8. The next
 * request, up to 8, gives 8 and 7. The next, up to 7, gives 7 and 7: it does not get past 7, so it goes on by number.
 */
export async function* readWidgets(
  readPage: (query: WidgetPageQuery) => Promise<components['schemas']['PagedResultWidget']>,
  { pageSize, state }: Pick<WidgetPageQuery, 'pageSize' | 'state'>,
): AsyncGenerator<Widget, void, void> {
  const seenIds = new Set<string>();
  const choose = (widget: Widget) => (state === undefined || widget.state === state) && !seenIds.has(widget.id);
  const filter = state === undefined ? {} : { state };
  // The number of a page without the filter, or 0.
  let [asOf, number]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    const cut = asOf === undefined ? {} : { asOf };
    const page = await readPage({ ...(number === 0 && filter), ...cut, page: Math.max(1, number), pageSize });
    for (const widget of page.items.filter(choose)) {
      seenIds.add(widget.id);
      yield widget;
    }
    if (!page.hasNext) return;
    if (page.items.every(({ createdAt }) => createdAt === asOf)) {
      // A whole page of equal times. Numbered pages are safe only without a filter: widgets are never deleted.
      number += 1;
    } else {
      asOf = page.items.at(-1)?.createdAt;
      number = 0;
    }
  }
}
