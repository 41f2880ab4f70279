export interface PublishedThrough {
  readonly widgetId: string;
  /** Every entry up to and including this version is in the event log and marked in the ledger. */
  readonly version: number;
}

/** The widgets' outboxes as the publishing side sees them. Throws `UnavailableError`. */
export interface WidgetOutbox {
  /**
   * Removes the entries up to each given version from the widgets whose fence is exactly `run`; returns the ids of
   * those that had another fence and keep their entries.
   */
  pull(run: number, published: readonly PublishedThrough[]): Promise<{ readonly refused: readonly string[] }>;
  /** Widgets whose oldest outbox entry was received before `before`, oldest first, at most `limit`. */
  findStale(before: Date, limit: number): Promise<string[]>;
  /**
   * Widgets whose oldest outbox entry was received after `after`, which is still to come: by a process whose clock is
   * ahead, or before the clock was set back. The nearest first, at most `limit`.
   */
  findAhead(after: Date, limit: number): Promise<string[]>;
}
