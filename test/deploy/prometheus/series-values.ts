/** The values of a series, one per interval. Null: the series has no sample. */
export type Values = readonly (number | null)[];

/** A part of a series: how long it lasts, in intervals, and its value, or by how much a counter rises per interval. */
export type Part = readonly [value: number, intervals: number];

/** Returns the values of a gauge that has each value for as many intervals. */
export function gauge(...parts: readonly Part[]): number[] {
  return parts.flatMap(([value, intervals]) => Array.from({ length: intervals }, () => value));
}

/** Returns the values of a counter that begins at 0 and rises by each value, for as many intervals. */
export function counter(...parts: readonly Part[]): number[] {
  let total = 0;
  return [0, ...gauge(...parts).map((increase) => (total += increase))];
}

/** Returns intervals without a sample. */
export function missing(intervals: number): null[] {
  return Array.from({ length: intervals }, () => null);
}
