import { formatPosition } from '@widget-service/shared/domain/cursor.ts';
import type { LedgerRow, ListedDelivery } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { z } from 'zod';
import type { deliverySchema } from '../../schemas/delivery.ts';

/** A delivery in the form that is returned. */
export function toDeliveryBody(row: ListedDelivery): z.output<typeof deliverySchema> {
  const { eventId, kind, occurredAt, receivedAt, widgetId, state, attempts, duplicates, reason, position } = row;
  return {
    eventId,
    kind,
    occurredAt,
    receivedAt: receivedAt.toISOString(),
    widgetId,
    state,
    attempts,
    duplicates,
    reason,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    position: position === null ? null : formatPosition(position),
  };
}

/** The text of a delivery with its payload, which comes out as it came in: digits, order of members and all. */
export function toDeliveryText(row: LedgerRow): string {
  return `${JSON.stringify(toDeliveryBody(row)).slice(0, -1)},"payload":${row.payload ?? 'null'}}`;
}
