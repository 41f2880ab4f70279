import type { UnstorableItem } from '../domain/errors.ts';
import type { IdempotencyRecord } from '../domain/idempotent-create.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';
import type { Widget, WidgetState } from '../domain/widget.ts';

// Three ports of one store: `WidgetStore` for the api, `WidgetEffects` for runs, `WidgetOutbox` to publish outboxes.

export interface WidgetCreation {
  readonly widget: Widget;
  /** The creation's event. The same insert stores it in the widget's outbox. */
  readonly created: OutboxEntry;
  /** Null if the client sent no idempotency key. */
  readonly idempotency: IdempotencyRecord | null;
}

export type InsertOutcome =
  | { readonly status: 'created' }
  /** The key was used before with the same fingerprint: the widget it created, and the body of the first response. */
  | { readonly status: 'replayed'; readonly widgetId: string; readonly body: string }
  /** The key was used before with another fingerprint. */
  | { readonly status: 'conflict' };

export interface WidgetFilter {
  readonly state: WidgetState | null;
  /** Only widgets with `createdAt` at or before this time; null: all. */
  readonly createdAtOrBefore: Date | null;
}

/**
 * The widgets. A write is durable (cluster: on a majority) before its promise resolves, and later reads see it. Methods
 * throw `UnavailableError` if the store does not answer within 2 s, or within the given time.
 */
export interface WidgetStore {
  /**
   * Stores widget, idempotency record and outbox in one atomic insert. Of several inserts with one (scope, key), also
   * concurrent ones, exactly one creates. The others return `replayed` or `conflict`. After an `UnavailableError` the
   * widget may exist; another attempt with the same key is safe.
   */
  insertOnce(creation: WidgetCreation): Promise<InsertOutcome>;
  get(id: string): Promise<Widget | null>;
  /** Newest first: by `createdAt`, then by `id`, both descending. */
  list(filter: WidgetFilter, range: RowRange): Promise<ListedRow<Widget>[]>;
  /**
   * Counts matching widgets, and stops at `atMost`. The time grows with the result, so a caller may set a longer
   * `deadlineMs` for a full count.
   */
  count(filter: WidgetFilter, atMost: number, deadlineMs?: number): Promise<number>;
}

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
  /** The changes that the store rejects for good, by widget id. */
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
