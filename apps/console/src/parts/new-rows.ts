/**
 * Counts the new rows of a list while it is held: while a person points at it or has scrolled down, no row may move, so
 * new rows wait. New rows come at the top, so the first row that was there before ends the count.
 */
export function countNewRows<Row>(held: readonly Row[], latest: readonly Row[], keyOf: (row: Row) => string): number {
  const known = new Set(held.slice(0, 100).map(keyOf));
  const index = latest.findIndex((row) => known.has(keyOf(row)));
  return index === -1 ? latest.length : index;
}

/** Returns the held rows in their order, each as the latest answer has it. A row that it does not have stays. */
export function renewRows<Row>(
  held: readonly Row[],
  latest: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const byKey = new Map(latest.map((row) => [keyOf(row), row]));
  return held.map((row) => byKey.get(keyOf(row)) ?? row);
}
