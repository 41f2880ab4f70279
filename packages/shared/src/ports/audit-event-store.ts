import type { AuditAction, AuditEvent } from '../domain/audit-event.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';

/** Selects audit events. A null member selects all. */
export interface AuditEventFilter {
  readonly actorId: string | null;
  readonly action: AuditAction | null;
  readonly targetId: string | null;
  /** Only events at this time or later. */
  readonly from: Date | null;
  /** Only events before this time. */
  readonly to: Date | null;
}

/**
 * The audit trail. It is append-only: no method changes or deletes a single event. The store itself removes an event
 * `AUDIT_RETENTION_MS` after it occurred, and never earlier. Methods throw `UnavailableError`.
 */
export interface AuditEventStore {
  /**
   * Resolves once the events are durable (cluster: on a majority). To append an event again has no effect, so a call
   * that failed may be repeated. Throws `UnstorableError` if the store will never accept one of the events; it may then
   * have stored the others.
   */
  append(events: readonly AuditEvent[]): Promise<void>;
  /** Newest first: by `occurredAt`, then by `id`, both descending. */
  list(filter: AuditEventFilter, range: RowRange): Promise<ListedRow<AuditEvent>[]>;
  /** Counts matching events up to `atMost`. The time grows with the result. */
  count(filter: AuditEventFilter, atMost: number): Promise<number>;
}
