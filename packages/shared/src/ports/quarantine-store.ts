/** A text from the hook queue that cannot even become a dead letter. */
export interface QuarantinedText {
  /** The job's id, with the delivery's event id or the text's index among the unreadable parts of the job. */
  readonly id: string;
  readonly text: string;
}

/**
 * Keeps texts for an operator to inspect. The service never removes them. Methods throw `UnavailableError`, and
 * `UnstorableError` for a text that the store will never accept, for example one that is too large.
 */
export interface QuarantineStore {
  /** Resolves once the text is durable. If the id exists, the stored text stays unchanged. */
  add(text: QuarantinedText): Promise<void>;
}
