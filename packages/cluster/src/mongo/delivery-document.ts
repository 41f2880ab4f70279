import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type {
  DeadReason,
  DeliveryEffect,
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
  /** JSON text as in `Delivery`, never parsed into a document. Null once it is discarded. */
  payload: string | null;
  state: DeliveryState;
  attempts: number;
  duplicates: number;
  reason: DeadReason | null;
  publishedAt: Date | null;
  position: LogPosition | null;
  /** Absent until the row is `published`. */
  effect?: DeliveryEffect | null;
  /** When the TTL index removes the row. Only rows that are `published` or `discarded` have it; others stay. */
  expiresAt?: Date;
}

/** The members that describe the delivery itself, without the state that runs give it. */
export function toReceivedMembers(delivery: RecordedDelivery) {
  return {
    integrationId: delivery.integrationId,
    kind: delivery.kind,
    occurredAt: delivery.occurredAt,
    widgetId: delivery.widgetId === null ? null : new UUID(delivery.widgetId),
    receivedAt: delivery.receivedAt,
    payload: delivery.payload,
  };
}

/** The row of a delivery that a run registers for the first time. */
export function toReceivedDocument(delivery: Delivery): DeliveryDocument {
  return {
    _id: new UUID(delivery.eventId),
    ...toReceivedMembers(delivery),
    state: 'received',
    attempts: 1,
    duplicates: 0,
    reason: null,
    publishedAt: null,
    position: null,
  };
}

export function toLedgerRow(document: DeliveryDocument): LedgerRow {
  return { ...toDeliverySummary(document), payload: document.payload };
}

export function toDeliverySummary(document: Omit<DeliveryDocument, 'payload'>): DeliverySummary {
  const { position, effect = null } = document;
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
    effect: effect === null ? null : toEffect(effect),
  };
}

/** Copies the known members: a newer version of the service may store more. */
function toEffect({ version, state, stateChanged, late }: DeliveryEffect): DeliveryEffect {
  return { version, state, stateChanged, late };
}

export type PayloadDocument = Pick<DeliveryDocument, '_id' | 'payload'>;

/** Of a document that has a payload. */
export function toPayload({ _id, payload }: PayloadDocument) {
  return { eventId: _id.toHexString(), payload: payload as string };
}
