/** A part of a job that cannot even become a dead letter. */
export interface QuarantinedText {
  /**
   * The id of the job that was started, and after a colon: for an unreadable part, its index among the unreadable parts
   * of the job; for a delivery that the ledger refused, its event id. The delivery may come from a job that was coalesced
   * with that one.
   */
  readonly id: string;
  /** An unreadable job as the queue held it; a malformed item, or a delivery, written as JSON again. */
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
