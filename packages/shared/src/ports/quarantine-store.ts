import type { ListedRow, RowRange } from '../domain/page.ts';

/**
 * Why a text is in quarantine. The texts are stored, and clients see them.
 * - `unreadable`: no event id or integration id can be read from it.
 * - `store-refused`: it is a delivery whose dead letter the ledger will never accept.
 */
export const quarantineReasons = ['unreadable', 'store-refused'] as const;
export type QuarantineReason = (typeof quarantineReasons)[number];

/** A part of a job that cannot even become a dead letter. */
export interface QuarantinedText {
  /** A UUIDv8, derived from the job and the part: a repeated run adds the same text under the same id. */
  readonly id: string;
  readonly reason: QuarantineReason;
  /** The job that was started. A delivery may come from a job that was coalesced with it. */
  readonly jobId: string;
  /** Null if it cannot be read. */
  readonly integrationId: string | null;
  readonly quarantinedAt: Date;
  /** An unreadable job as the queue held it; a malformed item, or a delivery, written as JSON again. */
  readonly text: string;
}

export interface QuarantineRow extends Omit<QuarantinedText, 'text'> {
  /** The size of the text in UTF-8. */
  readonly sizeBytes: number;
}

/**
 * Keeps texts for an operator to inspect and discard. The service itself never removes them. Methods throw
 * `UnavailableError`, and `add` throws `UnstorableError` for a text that the store will never accept, for example one
 * that is too large.
 */
export interface QuarantineStore {
  /** Resolves once the text is durable. If the id exists, the stored text stays unchanged. */
  add(text: QuarantinedText): Promise<void>;
  get(id: string): Promise<(QuarantineRow & Pick<QuarantinedText, 'text'>) | null>;
  /** Newest first: by `quarantinedAt`, then by `id`, both descending. */
  list(range: RowRange): Promise<ListedRow<QuarantineRow>[]>;
  /** Counts the texts up to `atMost`. */
  count(atMost: number): Promise<number>;
  /** Removes the text for good. Returns what it was, or null if there is none. */
  discard(id: string): Promise<QuarantineRow | null>;
}
