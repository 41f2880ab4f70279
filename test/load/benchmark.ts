/** One measured figure: its name, and values whose names contain their units. */
interface Figure {
  readonly figure: string;
  readonly [measure: string]: string | number | null;
}

export type Report = (figure: Figure) => void;

/** The exports of a benchmark file in `benchmarks/`. */
export interface Benchmark {
  readonly run: (report: Report) => Promise<void>;
}

/** The middle value. Of an even number of values: the mean of the two in the middle. */
export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Rounds to `digits` significant digits. */
export function round(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}

/** Reads a setting of the benchmarks: a whole number from the environment variable `name`. */
export function readSetting(name: `BENCH_${string}`, defaultValue: number): number {
  return Number(process.env[name] ?? defaultValue);
}

/** Reads a list of whole numbers, separated by commas. */
export function readListSetting(name: `BENCH_${string}`, defaultValue: readonly number[]): readonly number[] {
  return process.env[name]?.split(',').map(Number) ?? defaultValue;
}
