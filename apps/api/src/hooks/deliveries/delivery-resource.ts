import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { PageRequest } from '@widget-service/shared/domain/page.ts';
import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { DeliverySummary, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import {
  type CountedPage,
  readNames,
  type TooDeepPage,
} from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { toPageBody } from '../../schemas/page-body.ts';
import type { deliverySchema, listDeliveriesOfWidgetQuerySchema } from './delivery-schema.ts';

type DeliveryBody = z.output<typeof deliverySchema>;

/** Converts a delivery to the form that the API returns. `integrationName` null: the integration is deleted. */
export function toDeliveryBody(row: DeliverySummary, integrationName: string | null): DeliveryBody {
  const { eventId, integrationId, kind, occurredAt, receivedAt, widgetId } = row;
  const { state, attempts, duplicates, reason, position, effect } = row;
  return {
    eventId,
    integrationId,
    integrationName,
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

/** Renders one page of deliveries of any integrations. Throws as `toPageBody`, and `UnavailableError`. */
export async function toDeliveryPageBody(
  request: PageRequest,
  rows: CountedPage<DeliverySummary> | TooDeepPage,
  integrations: Pick<Collection<Integration>, 'list'>,
) {
  const found = 'items' in rows ? rows.items : [];
  const names = await readNames(integrations, [...new Set(found.flatMap((row) => row?.integrationId ?? []))]);
  return toPageBody(request, rows, (row) => toDeliveryBody(row, names.get(row.integrationId) ?? null));
}

/** Renders such a page as JSON text, each delivery with its payload. `payloads` are JSON texts, by event id. */
export function toDeliveryPageText(
  { items, ...page }: Awaited<ReturnType<typeof toDeliveryPageBody>>,
  payloads: ReadonlyMap<string, string>,
): string {
  const texts = items.map((item) => addMember(item, 'payload', payloads.get(item.eventId) ?? 'null'));
  return addMember(page, 'items', `[${texts.join(',')}]`);
}

/** Returns the JSON text of an object that has members, with one more. */
function addMember(object: object, name: string, json: string): string {
  return `${JSON.stringify(object).slice(0, -1)},"${name}":${json}}`;
}

/**
 * Renders a delivery with its payload and its event as JSON text. Both keep their original text: digits and member
 * order. `eventJson` null: the event is not known.
 */
export function toDeliveryText(row: LedgerRow, integrationName: string, eventJson: string | null): string {
  const members = JSON.stringify(toDeliveryBody(row, integrationName)).slice(0, -1);
  return `${members},"payload":${row.payload ?? 'null'},"event":${eventJson ?? 'null'}}`;
}

/** Converts `from` and `to` of a request to what the ledger selects by. */
export function toReceptionRange({
  from,
  to,
}: Pick<z.output<typeof listDeliveriesOfWidgetQuerySchema>, 'from' | 'to'>) {
  return {
    ...(from === undefined ? {} : { receivedFrom: from }),
    ...(to === undefined ? {} : { receivedBefore: to }),
  };
}

export const deliveriesParamsSchema = z.object({ id: z.string() });
export const deliveryParamsSchema = z.object({ id: z.string(), eventId: z.string() });

/** Builds the error for a delivery without a row, or with a row of another integration. */
export function toUnknownDeliveryError(): ServiceError {
  return new ServiceError('not-found', 'There is no such delivery, or no worker has registered it yet.');
}
