import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { DeliveryLedger, LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { EventLog } from '@widget-service/shared/ports/event-log.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import { deliveryParamsSchema, toDeliveryText, toUnknownDeliveryError } from './delivery-resource.ts';
import { deliveryWithPayloadSchema } from './delivery-schema.ts';

export interface GetDeliveryRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  /** A read needs no use case, so the route calls the port. */
  readonly ledger: Pick<DeliveryLedger, 'get'>;
  readonly eventLog: Pick<EventLog, 'readUpTo'>;
}

/** The delivery itself is worth more than its event: a slow event log does not hold it up for longer. */
const eventWithinMs = 1_000;

/** `GET /api/v1/integrations/{id}/deliveries/{eventId}`: one delivery with its payload and its event. */
export function getDeliveryRoute({ integrations, ledger, eventLog }: GetDeliveryRouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.get',
      summary: 'Get a delivery',
      description:
        'Returns the state of one accepted hook, with its payload as it was sent, and the event that streams send. The response is 404 until a worker has registered the delivery.',
      params: deliveryParamsSchema,
      response: documentResponses({ 200: deliveryWithPayloadSchema }, 'not-found'),
    },
    handler: async ({ params }, reply) => {
      const { id: integrationId, name } = await requireIntegration(params, integrations);
      const eventId = parseUuid(params.eventId);
      const row = eventId === null ? null : await ledger.get(eventId);
      if (row === null || row.integrationId !== integrationId) throw toUnknownDeliveryError();
      // A text, not an object: the payload is the sender's own text, and parsing it could change its numbers.
      const text = toDeliveryText(row, name, await readEventJson(eventLog, row));
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    },
  });
}

/** Null if the event log no longer has the event, or does not answer in time. */
async function readEventJson(
  eventLog: GetDeliveryRouteDeps['eventLog'],
  { eventId, position }: Pick<LedgerRow, 'eventId' | 'position'>,
): Promise<string | null> {
  if (position === null) return null;
  const read = withDeadline(eventLog.readUpTo(position, 1), eventWithinMs, 'read the event of a delivery');
  const [record] = await read.catch(() => []);
  // After a loss of the log, there may be another event in its place.
  return record?.event.eventId === eventId ? record.event.json : null;
}
