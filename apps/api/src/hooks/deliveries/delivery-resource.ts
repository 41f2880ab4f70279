import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { DeliverySummary, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/grant-store.ts';
import { z } from 'zod';
import type { deliverySchema, listDeliveriesOfWidgetQuerySchema } from './delivery-schema.ts';

/** Converts a delivery to the form that the API returns. */
export function toDeliveryBody(row: DeliverySummary): z.output<typeof deliverySchema> {
  const { eventId, integrationId, kind, occurredAt, receivedAt, widgetId } = row;
  const { state, attempts, duplicates, reason, position, effect } = row;
  return {
    eventId,
    integrationId,
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
    effect,
  };
}

/**
 * Renders a delivery with its payload and its event as JSON text. Both keep their original text: digits and member
 * order. `eventJson` null: the event is not known.
 */
export function toDeliveryText(row: LedgerRow, eventJson: string | null): string {
  const members = JSON.stringify(toDeliveryBody(row)).slice(0, -1);
  return `${members},"payload":${row.payload ?? 'null'},"event":${eventJson ?? 'null'}}`;
}

/** Converts `from` and `to` of a query to what the ledger selects by. */
export function toReceptionRange({ from, to }: z.output<typeof listDeliveriesOfWidgetQuerySchema>) {
  return {
    ...(from === undefined ? {} : { receivedFrom: from }),
    ...(to === undefined ? {} : { receivedBefore: to }),
  };
}

export const deliveriesParamsSchema = z.object({ id: z.string() });
export const deliveryParamsSchema = z.object({ id: z.string(), eventId: z.string() });

/** Returns the id of the integration in the path. Throws `not-found` if there is none, and `UnavailableError`. */
export async function requireIntegrationId(
  { id }: z.output<typeof deliveriesParamsSchema>,
  integrations: Pick<IntegrationStore, 'get'>,
): Promise<string> {
  const integrationId = parseUuid(id);
  const integration = integrationId === null ? null : await integrations.get(integrationId);
  if (integration === null) throw new ServiceError('not-found', 'There is no such integration.');
  return integration.id;
}

/** Builds the error for a delivery without a row, or with a row of another integration. */
export function toUnknownDeliveryError(): ServiceError {
  return new ServiceError('not-found', 'There is no such delivery, or no worker has registered it yet.');
}
