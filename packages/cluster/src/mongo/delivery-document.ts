import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type {
  DeadReason,
  DeliveryState,
  DeliverySummary,
  LedgerRow,
  RecordedDelivery,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { UUID } from 'mongodb';

export interface DeliveryDocument {
  /** The event id. */
  _id: UUID;
  integrationId: string;
  kind: string;
  occurredAt: string;
  widgetId: UUID | null;
  receivedAt: Date;
  /** The JSON text as it came, never a document. */
  payload: string | null;
  state: DeliveryState;
  attempts: number;
  duplicates: number;
  reason: DeadReason | null;
  publishedAt: Date | null;
  position: LogPosition | null;
  /** Set at publication, for the server's own removal of old rows. What is not published stays. */
  expiresAt?: Date;
}

/** What a delivery brings, and no run changes. */
export function deliveryMembers(delivery: RecordedDelivery) {
  return {
    integrationId: delivery.integrationId,
    kind: delivery.kind,
    occurredAt: delivery.occurredAt,
    widgetId: delivery.widgetId === null ? null : new UUID(delivery.widgetId),
    receivedAt: delivery.receivedAt,
    payload: delivery.payload,
  };
}

export function toReceivedDocument(delivery: Delivery): DeliveryDocument {
  return {
    _id: new UUID(delivery.eventId),
    ...deliveryMembers(delivery),
    state: 'received',
    attempts: 1,
    duplicates: 0,
    reason: null,
    publishedAt: null,
    position: null,
  };
}

export function toLedgerRow(document: DeliveryDocument): LedgerRow {
  return { ...toListedDelivery(document), payload: document.payload };
}

export function toListedDelivery(document: Omit<DeliveryDocument, 'payload'>): DeliverySummary {
  const { position } = document;
  return {
    eventId: document._id.toHexString(),
    integrationId: document.integrationId,
    kind: document.kind,
    occurredAt: document.occurredAt,
    widgetId: document.widgetId?.toHexString() ?? null,
    receivedAt: document.receivedAt,
    state: document.state,
    attempts: document.attempts,
    duplicates: document.duplicates,
    reason: document.reason,
    publishedAt: document.publishedAt,
    position: position === null ? null : { epoch: position.epoch, ms: position.ms, seq: position.seq },
  };
}
