/** A rule of the data path, and how the code is without it. */
export interface Mutation extends Edit {
  readonly rule: string;
  /** Where it takes more than one edit to be without it. */
  readonly also?: readonly Edit[];
}

interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}
