export interface PublishedThrough {
  readonly widgetId: string;
  /** Every entry up to and including this version is in the event log and marked in the ledger. */
  readonly version: number;
}

/** A widget with something in its outbox. */
export interface UnpublishedWidget {
  readonly widgetId: string;
  /** When the oldest entry of its outbox was received. */
  readonly since: Date;
}

/** How far a search has come: it has found all before `since`, and of those at that very time these. */
export interface OutboxScanCursor {
  readonly since: Date;
  readonly widgetIds: readonly string[];
}

/** The widgets' outboxes as the publishing side sees them. Throws `UnavailableError`. */
export interface WidgetOutbox {
  /**
   * Removes the entries up to each given version from the widgets whose fence is exactly `run`; returns the ids of
   * those that had another fence and keep their entries.
   */
  removePublished(
    run: number,
    published: readonly PublishedThrough[],
  ): Promise<{ readonly superseded: readonly string[] }>;
  /**
   * Widgets whose oldest outbox entry was received before `before`, oldest first, at most `limit`; only those behind
   * `from` where it is given.
   */
  findOverdue(before: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]>;
  /**
   * Widgets whose oldest outbox entry was received after `after`, which is still to come: by a process whose clock is
   * ahead, or before the clock was set back. The nearest first, at most `limit`; only those behind `from` where it is
   * given.
   */
  findFutureDated(after: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]>;
}

/** The place behind what a search has `found` from `from` on: where its next page begins. */
export function advanceScanCursor(
  found: readonly UnpublishedWidget[],
  from?: OutboxScanCursor,
): OutboxScanCursor | undefined {
  const since = found.at(-1)?.since;
  if (since === undefined) return from;
  const atThatTime = found.filter((one) => one.since.getTime() === since.getTime()).map(({ widgetId }) => widgetId);
  const before = from?.since.getTime() === since.getTime() ? from.widgetIds : [];
  return { since, widgetIds: [...before, ...atThatTime] };
}
