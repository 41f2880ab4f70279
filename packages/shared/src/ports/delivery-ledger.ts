import type { Delivery, MalformedDelivery } from '../domain/delivery.ts';
import type { UnstorableItem } from '../domain/errors.ts';
import type { LogPosition } from '../domain/log-position.ts';
import type { ListedRow, RowRange } from '../domain/page.ts';
import type { WidgetState } from '../domain/widget.ts';

/**
 * Why a delivery became a dead letter. The texts are stored, and clients see them.
 * - `invalid-delivery`: the delivery is malformed in the queue, or processing it fails every time.
 * - `store-refused`: the delivery is unstorable. A store answered that it will never accept the delivery's ledger row
 *   or its effect.
 */
export const deadReasons = ['invalid-delivery', 'store-refused'] as const;
export type DeadReason = (typeof deadReasons)[number];

/**
 * `received`: from its first run on. `published`: its event is in the event log. `dead`: it is a dead letter.
 * `discarded`: it was a dead letter, and an operator has erased its payload.
 */
export const deliveryStates = ['received', 'published', 'dead', 'discarded'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * A delivery as the ledger stores it. It may be malformed, so its fields have the weaker types of `MalformedDelivery`.
 */
export type RecordedDelivery = MalformedDelivery & { readonly receivedAt: Date };

/** What a hook changed in its widget: version and state are those right after the hook. */
export interface DeliveryEffect {
  readonly version: number;
  readonly state: WidgetState;
  readonly stateChanged: boolean;
  /** Whether the hook's effective time is before the `lastEventAt` that the widget had. */
  readonly late: boolean;
}

/** A delivery whose event is in the event log. */
export interface PublishedDelivery {
  readonly eventId: string;
  /** Null if an earlier run had appended the event. */
  readonly position: LogPosition | null;
  /** Null if the delivery names no known widget. */
  readonly effect: DeliveryEffect | null;
}

export interface LedgerRow extends RecordedDelivery {
  readonly state: DeliveryState;
  /** How many runs have registered it, except as a duplicate. 0 for a dead letter that no run could register. */
  readonly attempts: number;
  /** How many duplicates of it were dropped. */
  readonly duplicates: number;
  /** Null unless the state is `dead` or `discarded`. */
  readonly reason: DeadReason | null;
  /** Null unless the state is `published`. */
  readonly publishedAt: Date | null;
  /** Set only if the state is `published` and the run that marked the row also appended the event. Otherwise null. */
  readonly position: LogPosition | null;
  /** Null unless the state is `published` and the delivery named a known widget. */
  readonly effect: DeliveryEffect | null;
}

/** A row in a list. It has no payload, because a payload can be larger than all other members together. */
export type DeliverySummary = Omit<LedgerRow, 'payload'>;

export type DeliveryFilter = ReceptionRange &
  (
    | {
        /** The deliveries of this integration. Null: of all, also of deleted ones. */
        readonly integrationId: string | null;
        /** Null: in any state. */
        readonly state: DeliveryState | null;
      }
    /** The deliveries of all integrations that name the widget. */
    | { readonly widgetId: string }
  );

export interface ReceptionRange {
  /** Only those received at this time or later. */
  readonly receivedFrom?: Date;
  /** Only those received before this time. */
  readonly receivedBefore?: Date;
  /** Only deliveries that come after this one in a list. It need not be in the ledger any more. */
  readonly listedAfter?: Pick<LedgerRow, 'receivedAt' | 'eventId'>;
}

/**
 * - `discarded`: the delivery was dead, and its payload is erased.
 * - `discarded-before`: an earlier call has discarded it.
 * - `not-dead`: it is published, or a run has registered it and its event is not published yet. Nothing changed.
 * - `unknown`: the integration has no such delivery.
 */
export type DiscardOutcome = 'discarded' | 'discarded-before' | 'not-dead' | 'unknown';

export interface RegisterOutcome {
  /** Event ids of deliveries that the run drops (`isDuplicate`). */
  readonly duplicates: readonly string[];
  /** Deliveries that the store will never accept, by event id. They have no row. */
  readonly unstorable: readonly UnstorableItem[];
}

/**
 * One row per distinct delivery. The row turns a repeated hook into one event.
 *
 * Example: a sender times out and posts a hook again. The first delivery's row is `published`. A run registers the
 * second delivery, finds the row, and drops the delivery.
 *
 * Published and discarded rows are kept for `DELIVERY_RETENTION_MS` after that. Other rows are kept without limit: a
 * dead letter stays until it is redriven or discarded. Methods throw `UnavailableError`. `markPublished` and `markDead`
 * also throw `UnstorableError` for a row that the store will never accept. All writes may be repeated: a repetition
 * only raises `attempts` and `duplicates`.
 */
export interface DeliveryLedger {
  /**
   * Inserts a row for each delivery without one. The caller passes each event id at most once per call. The run
   * processes all deliveries that are neither duplicates nor unstorable. Their rows become `received`, even if they
   * were dead, and count one more attempt. If another run publishes or dead-letters it at the same time, that
   * state stays. If it is discarded at the same time, it is a duplicate. The row of a duplicate changes
   * only in `duplicates`.
   */
  register(deliveries: readonly Delivery[]): Promise<RegisterOutcome>;
  /**
   * Marks rows as published. Rows that are published already stay unchanged. A discarded row becomes published: a run
   * that had registered the delivery before has appended its event all the same.
   */
  markPublished(deliveries: readonly PublishedDelivery[], publishedAt: Date): Promise<void>;
  /**
   * Stores a dead letter with its payload, for an operator to inspect. A published or discarded row does not change.
   */
  markDead(delivery: RecordedDelivery, reason: DeadReason): Promise<void>;
  /** Erases the payload of a dead delivery of the integration. Its row becomes `discarded`, and otherwise stays. */
  discard(integrationId: string, eventId: string, discardedAt: Date): Promise<DiscardOutcome>;
  get(eventId: string): Promise<LedgerRow | null>;
  /** Returns payloads by event id. Omits those that are null or longer than `atMostBytes` in UTF-8. */
  getPayloads(eventIds: readonly string[], atMostBytes: number): Promise<ReadonlyMap<string, string>>;
  /** Newest first: by `receivedAt`, then by `eventId`, both descending. */
  list(filter: DeliveryFilter, range: RowRange): Promise<ListedRow<DeliverySummary>[]>;
  /** Counts matching rows up to `atMost`. The time grows with the result. */
  count(filter: DeliveryFilter, atMost: number): Promise<number>;
  /**
   * Counts the dead rows by integration id, also of deleted integrations. Stops after `atMost` rows in all. Reads no
   * published rows.
   */
  countDead(atMost: number): Promise<ReadonlyMap<string, number>>;
}

/**
 * Returns whether a run drops a delivery because of its row: the row is published or discarded, or names another
 * widget, or is dead and the delivery is not a redrive. It compares the widgets because one event id must not change
 * two widgets: the first delivery fixes the widget.
 */
export function isDuplicate(
  delivery: Pick<Delivery, 'widgetId' | 'redrive'>,
  row: Pick<LedgerRow, 'state' | 'widgetId'>,
): boolean {
  if (row.state === 'published' || row.state === 'discarded' || row.widgetId !== delivery.widgetId) return true;
  return row.state === 'dead' && !delivery.redrive;
}
