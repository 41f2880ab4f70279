import type { Delivery, MalformedDelivery } from '../domain/hook-event.ts';
import type { LogPosition } from '../domain/log-position.ts';

import type { RowRange } from './grant-store.ts';

/**
 * Why a delivery was given up.
 * - `invalid-delivery`: what is in the queue is malformed, or carrying it out fails again and again.
 * - `store-refused`: a store answered that it will not take its effect.
 */
export const deadReasons = ['invalid-delivery', 'store-refused'] as const;
export type DeadReason = (typeof deadReasons)[number];

/** `received` from the first run that took it, until its event is in the log or it is given up. */
export const deliveryStates = ['received', 'published', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A delivery as the ledger keeps it, also one that was malformed. */
export type RecordedDelivery = MalformedDelivery & { readonly receivedAt: Date };

export interface LedgerRow extends RecordedDelivery {
  readonly state: DeliveryState;
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
export function isDuplicate(
  delivery: Pick<Delivery, 'widgetId' | 'redrive'>,
  row: Pick<LedgerRow, 'state' | 'widgetId'>,
): boolean {
  if (row.state === 'published' || row.widgetId !== delivery.widgetId) return true;
  return row.state === 'dead' && !delivery.redrive;
}

/** A row in a list, where a payload could be more than all the rest. */
export type DeliverySummary = Omit<LedgerRow, 'payload'>;

export interface DeliveryFilter {
  readonly integrationId: string;
  /** Null: any. */
  readonly state: DeliveryState | null;
}

export interface RegisterOutcome {
  readonly duplicates: readonly string[];
  readonly unstorable: readonly string[];
}

/**
 * One row per accepted, distinct hook. It is what makes a repeated hook one event, for the time it is kept after
 * publication. What is not published is kept without end: a dead delivery until it is redriven. Throws `UnavailableError`, or `StoreRefusedError` for a row that will never be taken.
 */
export interface DeliveryLedger {
  /**
   * Inserts a row for each delivery that has none (event ids are distinct within a call). Returns the ids of those to
   * drop (`isRepetition`), and of those the store will never take, which get no row. All others are this run's to carry
   * out, and their rows are `received`, also those that were dead; unless another run, at the same time, has published
   * one or given it up: then that stands.
   */
  register(deliveries: readonly Delivery[]): Promise<RegisterOutcome>;
  /** `position` is null where the event was found in the log already. Rows already published stay as they are. */
  markPublished(
    rows: readonly { readonly eventId: string; readonly position: LogPosition | null }[],
    publishedAt: Date,
  ): Promise<void>;
  /** Gives a delivery up, with its body, for a person to look at. A published row stays as it is. */
  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void>;
  get(eventId: string): Promise<LedgerRow | null>;
  /** Newest first: by `receivedAt`, then by `eventId`, both falling. */
  list(filter: DeliveryFilter, range: RowRange): Promise<DeliverySummary[]>;
  /** How many there are, counted no further than `atMost`: it costs time in proportion to the result. */
  count(filter: DeliveryFilter, atMost: number): Promise<number>;
}
