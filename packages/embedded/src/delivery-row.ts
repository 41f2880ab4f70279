import type {
  DeadReason,
  DeliveryState,
  LedgerRow,
  ListedDelivery,
  RecordedDelivery,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { dateOf } from './widget-row.ts';

/** What a list shows of a row. */
export const listedColumns =
  'event_id, integration_id, kind, occurred_at, widget_id, received_at, state, attempts, duplicates, reason, ' +
  'published_at, position_epoch, position_ms, position_seq';

export interface ListedDeliveryRow {
  readonly event_id: string;
  readonly integration_id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly widget_id: string | null;
  readonly received_at: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly duplicates: number;
  readonly reason: DeadReason | null;
  readonly published_at: number | null;
  readonly position_epoch: string | null;
  readonly position_ms: number | null;
  readonly position_seq: number | null;
}

export interface DeliveryRow extends ListedDeliveryRow {
  readonly payload: string | null;
}

/** What a delivery brings, in the order of the columns that `insertDelivery` names. */
export function valuesOf(delivery: RecordedDelivery) {
  return [
    delivery.eventId,
    delivery.integrationId,
    delivery.kind,
    delivery.occurredAt,
    delivery.widgetId,
    delivery.receivedAt.getTime(),
    delivery.payload,
  ];
}

export const insertDelivery =
  'INSERT INTO deliveries (event_id, integration_id, kind, occurred_at, widget_id, received_at, payload, ' +
  'state, attempts, duplicates, reason) ';

export function toLedgerRow(row: DeliveryRow): LedgerRow {
  return { ...toListedDelivery(row), payload: row.payload };
}

export function toListedDelivery(row: ListedDeliveryRow): ListedDelivery {
  const { position_epoch: epoch, position_ms: ms, position_seq: seq } = row;
  return {
    eventId: row.event_id,
    integrationId: row.integration_id,
    kind: row.kind,
    occurredAt: row.occurred_at,
    widgetId: row.widget_id,
    receivedAt: new Date(row.received_at),
    state: row.state,
    attempts: row.attempts,
    duplicates: row.duplicates,
    reason: row.reason,
    publishedAt: dateOf(row.published_at),
    position: epoch === null || ms === null || seq === null ? null : { epoch, ms, seq },
  };
}
