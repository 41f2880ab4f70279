/** A rule of the data path, and the edits that remove it from the code. */
export interface Mutation extends Edit {
  /** The rule, as a plain statement. */
  readonly rule: string;
  /** Further edits, if one does not remove the rule. */
  readonly also?: readonly Edit[];
}

interface Edit {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}
