/** One measured figure: what it is, and its value with the unit in its name. */
interface Figure {
  readonly figure: string;
  readonly backend: 'embedded' | 'cluster';
  readonly [measure: string]: string | number;
}

/** A file of this folder. */
export interface Benchmark {
  readonly run: (report: (figure: Figure) => void) => Promise<void>;
}
