import type { IdempotencyRecord } from '../domain/idempotent-create.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';
import type { Widget, WidgetState } from '../domain/widget.ts';

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
