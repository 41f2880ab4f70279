/** A rule of the data path, and how the code is without it. */
export interface Mutation {
  readonly rule: string;
  /** From the root of the project. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
  /** Why nothing is found without it: another rule keeps to the same. */
  readonly spare?: string;
}
