interface Row {
  readonly id: string;
}

/**
 * Counts the new rows of a list while it is held: while a person points at it or has scrolled down, no row may move, so
 * new rows wait. New rows come at the top, so the first row that was there before ends the count.
 */
export function countWaitingRows(held: readonly Row[], latest: readonly Row[]): number {
  const known = new Set(held.slice(0, 100).map(({ id }) => id));
  const index = latest.findIndex(({ id }) => known.has(id));
  return index === -1 ? latest.length : index;
}
