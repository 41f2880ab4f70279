import type { LogPosition } from '../domain/cursor.ts';
import type { Delivery, HookEvent } from '../domain/hook-event.ts';

export type DeadReason = 'invalid-delivery' | 'store-refused';

export interface LedgerRow extends HookEvent {
  readonly eventId: string;
  readonly integrationId: string;
  readonly receivedAt: Date;
  /** `received` from the first run that took it, until its event is in the log or it is given up. */
  readonly state: 'received' | 'published' | 'dead';
  /** How many runs have taken it. */
  readonly attempts: number;
  /** How many repetitions of it were dropped. */
  readonly duplicates: number;
  /** Why it is dead. */
  readonly reason: DeadReason | null;
  readonly publishedAt: Date | null;
  readonly position: LogPosition | null;
}

/**
 * Whether a delivery is to be dropped for what its row says: published already, dead (unless it is marked `redrive`), or
 * taken before for another widget.
 */
export function isRepetition(
  delivery: Pick<Delivery, 'widgetId' | 'redrive'>,
  row: Pick<LedgerRow, 'state' | 'widgetId'>,
): boolean {
  if (row.state === 'published' || row.widgetId !== delivery.widgetId) return true;
  return row.state === 'dead' && !delivery.redrive;
}

/**
 * One row per accepted, distinct hook. It is what makes a repeated hook one event, for the time it is kept after
 * publication. Throws `UnavailableError`, or `StoreRefusedError` for a row that will never be taken.
 */
export interface DeliveryLedger {
  /**
   * Inserts a row for each delivery that has none (event ids are distinct within a call). Returns the ids of those to
   * drop (`isRepetition`). All others are this run's to carry out, and their rows are `received`, also those that were
   * dead.
   */
  take(deliveries: readonly Delivery[]): Promise<{ readonly duplicates: readonly string[] }>;
  /** `position` is null where the event was found in the log already. Rows already published stay as they are. */
  markPublished(
    rows: readonly { readonly eventId: string; readonly position: LogPosition | null }[],
    publishedAt: Date,
  ): Promise<void>;
  /** Gives a delivery up, with its body, for a person to look at. A published row stays as it is. */
  markDead(delivery: Delivery, reason: DeadReason): Promise<void>;
  get(eventId: string): Promise<LedgerRow | null>;
}
