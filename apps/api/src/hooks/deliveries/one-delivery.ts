import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { LedgerRow } from '@widget-service/shared/ports/delivery-ledger.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { RouteDeps } from '../../route-deps.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import {
  deliveryParamsSchema,
  deliverySchema,
  deliveryWithPayloadSchema,
  toDeliveryBody,
  toDeliveryText,
  toUnknownDeliveryError,
} from './delivery.ts';

/** The delivery itself is worth more than its event: a slow event log does not hold it up for longer. */
const eventWithinMs = 1_000;

/** `GET /api/v1/integrations/{id}/deliveries/{eventId}`: one delivery with its payload and its event. */
export function getDeliveryRoute({ integrations, ledger, eventLog }: RouteDeps): Route {
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
  eventLog: RouteDeps['eventLog'],
  { eventId, position }: Pick<LedgerRow, 'eventId' | 'position'>,
): Promise<string | null> {
  if (position === null) return null;
  const read = withDeadline(eventLog.readUpTo(position, 1), eventWithinMs, 'read the event of a delivery');
  const [record] = await read.catch(() => []);
  // After a loss of the log, there may be another event in its place.
  return record?.event.eventId === eventId ? record.event.json : null;
}

/** `POST /api/v1/integrations/{id}/deliveries/{eventId}/redrive`: queues a dead delivery again. */
export function redriveDeliveryRoute(deps: RouteDeps): Route {
  const { integrations, redrive, metrics } = deps;
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.redrive',
      summary: 'Redrive a dead delivery',
      description:
        'Puts the delivery back into the queue. The response shows the delivery before it is processed: read it again later to see the outcome. However often you redrive a delivery, it takes effect once.',
      params: deliveryParamsSchema,
      response: documentResponses(
        { 202: { body: deliverySchema, description: 'The delivery is durably queued.' } },
        'not-found',
        'delivery-not-dead',
        'integration-backlog-full',
      ),
    },
    handler: async (request, reply) => {
      const { params } = request;
      const { id: integrationId, name } = await requireIntegration(params, integrations);
      const eventId = parseUuid(params.eventId);
      if (eventId === null) throw toUnknownDeliveryError();
      const outcome = await redrive.redriveOne(integrationId, eventId);
      if (outcome.status === 'unknown') throw toUnknownDeliveryError();
      if (outcome.status === 'not-dead') {
        throw new ServiceError('delivery-not-dead', 'Only a dead delivery can be redriven.');
      }
      metrics.deliveriesRedriven.inc();
      noteAudit(request, { after: { integrationId } });
      return reply.code(202).send(toDeliveryBody(outcome.delivery, name));
    },
  });
}

/** `DELETE /api/v1/integrations/{id}/deliveries/{eventId}`: erases the payload of a dead delivery. */
export function discardDeliveryRoute({ ledger, clock }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.discard',
      summary: 'Discard a dead delivery',
      description:
        'Erases the payload of the delivery for good. The delivery stays listed with the state `discarded` for 7 days, unless the operator of the service has set another time; in this time repetitions of the hook are dropped. It can never be redriven again: a redrive that is still queued has no effect. Discarding it again changes nothing. The integration may have been deleted.',
      params: deliveryParamsSchema,
      response: documentResponses(
        { 204: z.null().describe('The payload is erased.') },
        'not-found',
        'delivery-not-dead',
      ),
    },
    handler: async (request, reply) => {
      const integrationId = parseUuid(request.params.id);
      const eventId = parseUuid(request.params.eventId);
      if (integrationId === null || eventId === null) throw toUnknownDeliveryError();
      const outcome = await ledger.discard(integrationId, eventId, clock.now());
      if (outcome === 'unknown') throw toUnknownDeliveryError();
      if (outcome === 'not-dead') {
        throw new ServiceError('delivery-not-dead', 'Only a dead delivery can be discarded.');
      }
      noteAudit(request, { before: { integrationId }, isSkipped: outcome === 'discarded-before' });
      return reply.code(204).send();
    },
  });
}
