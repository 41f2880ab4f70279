/** One measured figure: its name, and values whose names contain their units. */
interface Figure {
  readonly figure: string;
  readonly backend: 'embedded' | 'cluster';
  readonly [measure: string]: string | number;
}

/** The exports of a benchmark file in this folder. */
export interface Benchmark {
  readonly run: (report: (figure: Figure) => void) => Promise<void>;
}
