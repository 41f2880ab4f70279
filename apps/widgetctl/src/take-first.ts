/** Resolves with the first items, at most `limit`. It ends the reading then. */
export async function takeFirst<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    if (taken.push(item) >= limit) break;
  }
  return taken;
}
