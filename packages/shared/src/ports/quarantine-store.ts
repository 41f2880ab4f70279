/** A text from the hook queue that nothing can be done with but to keep it. */
export interface QuarantinedText {
  /** The job it stood in, and its place there. */
  readonly id: string;
  readonly text: string;
}

/**
 * What could not even become a dead letter, for a person to look at: nobody takes or removes anything here. Throws
 * `UnavailableError`.
 */
export interface QuarantineStore {
  /** Resolves once the text is durable. Another text under the same id changes nothing. */
  add(text: QuarantinedText): Promise<void>;
  /** In no order, at most `limit`. */
  list(limit: number): Promise<QuarantinedText[]>;
}
