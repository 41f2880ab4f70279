import type { UnstorableItem } from '../domain/errors.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { Widget } from '../domain/widget.ts';

/** A widget with all entries of its outbox, oldest first. */
export interface LoadedWidget {
  readonly widget: Widget;
  readonly outbox: readonly OutboxEntry[];
}

export interface WidgetChange {
  readonly widgetId: string;
  /** The version from which the change was computed. */
  readonly fromVersion: number;
  readonly after: OutboxEntry['after'];
  /** Appended to the outbox, in this order. */
  readonly entries: readonly OutboxEntry[];
}

interface ApplyOutcome {
  /**
   * True if a change was not written because the version of its widget is not `fromVersion`: another run has written
   * since, or an earlier try of this call has. The other changes are written.
   */
  readonly superseded: boolean;
  /** The store will never accept these changes, by widget id. */
  readonly unstorable: readonly UnstorableItem[];
}

/**
 * The effects of hooks on widgets. A run reads the widgets of its batch, computes the changes, and writes each by
 * compare-and-set. So of two runs that read the same version, only the first writes.
 *
 * Example: run 41 reads version 3 of a widget and freezes. Run 42 reads version 3, and writes version 4. Run 41
 * resumes, and its `apply` is superseded.
 *
 * Methods throw `UnavailableError` if it is unknown whether they took place: the caller starts a new run. They throw
 * `UnstorableError` if the store will never accept the write.
 */
export interface WidgetEffects {
  /** Reads the widgets (cluster: as a majority has them). Leaves out unknown ids. */
  load(widgetIds: readonly string[]): Promise<readonly LoadedWidget[]>;
  /**
   * Writes each change if the widget's version is exactly `fromVersion`. Each widget is written atomically, together
   * with its outbox. The changes are of distinct widgets.
   */
  apply(changes: readonly WidgetChange[]): Promise<ApplyOutcome>;
}

export interface PublishedThrough {
  readonly widgetId: string;
  /** All entries up to and including this version are in the event log, and their ledger rows are `published`. */
  readonly version: number;
}

/** A widget whose outbox is not empty. */
export interface UnpublishedWidget {
  readonly widgetId: string;
  /** `receivedAt` of the oldest entry in its outbox. */
  readonly since: Date;
}

/**
 * How far a scan has read: all widgets with a time before `since`, and of those at exactly `since` the `widgetIds`.
 *
 * Example: widgets A, B and C have the time 10:00, and a page of two returns A and B. The cursor is 10:00 with A and B,
 * so the next page begins with C.
 */
export interface OutboxScanCursor {
  readonly since: Date;
  readonly widgetIds: readonly string[];
}

/** The outboxes of widgets, for runs that publish and for the scanner. Methods throw `UnavailableError`. */
export interface WidgetOutbox {
  /** Removes the entries up to each given version. Leaves out unknown ids. Safe to repeat. */
  removePublished(published: readonly PublishedThrough[]): Promise<void>;
  /** Returns widgets whose oldest entry was received before `before`: oldest first, at most `limit`, after `from`. */
  findOverdue(before: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]>;
  /**
   * Returns widgets whose oldest entry has a time later than `after`, a time in the future. Such an entry comes from a
   * process whose clock is ahead, or from before the clock was set back. Earliest first, at most `limit`, after `from`.
   */
  findFutureDated(after: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]>;
}

/** Returns the cursor after `page`, the result of a scan from `from`. Returns `from` for an empty page. */
export function advanceScanCursor(
  page: readonly UnpublishedWidget[],
  from?: OutboxScanCursor,
): OutboxScanCursor | undefined {
  const since = page.at(-1)?.since;
  if (since === undefined) return from;
  const widgetIds = page.filter((widget) => widget.since.getTime() === since.getTime()).map(({ widgetId }) => widgetId);
  const earlierIds = from?.since.getTime() === since.getTime() ? from.widgetIds : [];
  return { since, widgetIds: [...earlierIds, ...widgetIds] };
}
