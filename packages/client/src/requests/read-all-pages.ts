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
    yield* read.items;
    hasNext = read.hasNext;
  }
}
