import type { IdempotencyRecord } from '../domain/idempotency.ts';
import type { OutboxEntry } from '../domain/outbox-entry.ts';
import type { Widget, WidgetState } from '../domain/widget.ts';

export interface WidgetCreation {
  readonly widget: Widget;
  /** The creation's own event: it is stored in the widget's outbox by the same insert. */
  readonly created: OutboxEntry;
  /** Null when the caller sent no idempotency key. */
  readonly idempotency: IdempotencyRecord | null;
}

export type InsertOutcome =
  | { readonly status: 'created' }
  /** The key was used before with the same fingerprint: `body` is the first answer's text. */
  | { readonly status: 'replayed'; readonly body: string }
  /** The key was used before with another fingerprint. */
  | { readonly status: 'conflict' };

export interface WidgetFilter {
  readonly state: WidgetState | null;
  /** Only widgets with `createdAt` at or before this time; null: all. */
  readonly createdAtOrBefore: Date | null;
}

/**
 * The widgets. Every write is durable (cluster: majority) before its promise resolves, and reads see it.
 * All methods throw `UnavailableError` when the store does not answer within 2 s, or the time given.
 */
export interface WidgetStore {
  /**
   * Stores widget, idempotency record and outbox in one atomic insert. Of any number of concurrent inserts with one
   * (scope, key) exactly one creates; the others see its record, `replayed` or `conflict`.
   */
  insertOnce(creation: WidgetCreation): Promise<InsertOutcome>;
  get(id: string): Promise<Widget | null>;
  /** Newest first: by `createdAt`, then by `id`, both falling. */
  list(filter: WidgetFilter, range: { readonly offset: number; readonly limit: number }): Promise<Widget[]>;
  /** The number of matching widgets, counted up to `atMost` and no further; a full count may be given more time. */
  count(filter: WidgetFilter, atMost: number, withinMs?: number): Promise<number>;
}
