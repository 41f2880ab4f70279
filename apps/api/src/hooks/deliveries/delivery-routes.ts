import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type {
  DeliveryFilter,
  DeliveryLedger,
  DeliverySummary,
  LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { withinRequestDeadline } from '../../http/request-state.ts';
import { idParamsSchema, notFound, requireById, requireFound, requireId } from '../../http/resource.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { RouteDeps } from '../../route-deps.ts';
import { readPage, selectPage, toPageBody } from '../../schemas/page.ts';
import { documentResponses } from '../../schemas/problem.ts';
import {
  deliveryOfWidgetPageSchema,
  deliveryPageSchema,
  deliverySchema,
  deliveryWithPayloadSchema,
  largestListedPayloadBytes,
  listAllDeliveriesQuerySchema,
  listDeliveriesOfWidgetQuerySchema,
  listDeliveriesQuerySchema,
  toDeliveryBody,
  toDeliveryPageBody,
  toDeliveryPageText,
  toDeliveryText,
  toReceptionRange,
} from './delivery.ts';

const deliveryParamsSchema = z.object({ id: z.string(), eventId: z.string() });
/** Ends the sentence of `notFound`. */
const what = 'delivery, or no worker has registered it yet';

/** `GET /api/v1/integrations/{id}/deliveries`: one page of an integration's deliveries, the latest received first. */
export function listDeliveriesRoute({ integrations, ledger }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.list',
      summary: 'List deliveries',
      description:
        'Returns the accepted hooks of an integration with their states, the latest received first. A published or discarded delivery is listed for 7 days after that, unless the operator of the service has set another time. Other deliveries are listed without limit. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      params: idParamsSchema,
      querystring: listDeliveriesQuerySchema,
      response: documentResponses(
        { 200: { body: deliveryPageSchema, description: 'One page of deliveries.' } },
        'not-found',
      ),
    },
    handler: async ({ params, query }) => {
      const { id: integrationId, name } = await requireById(integrations, params, 'integration');
      const toItem = (row: DeliverySummary) => toDeliveryBody(row, name);
      const filter = { integrationId, state: query.state ?? null, ...toReceptionRange(query) };
      if (query.webhookId === undefined) {
        return toPageBody(query, await readPage(ledger, filter, query), toItem);
      }
      const found = await findDeliveryByWebhookId(ledger, filter, query.webhookId);
      return toPageBody(query, selectPage(query, found === null ? [] : [found]), toItem);
    },
  });
}

/** `GET /api/v1/deliveries`: one page of the deliveries of all integrations, the latest received first. */
export function listAllDeliveriesRoute({ integrations, ledger }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.listAll',
      summary: 'List the deliveries of all integrations',
      description:
        'Returns the accepted hooks of all integrations, also of deleted ones, with their states, the latest received first. They are kept as those of one integration. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      querystring: listAllDeliveriesQuerySchema,
      response: documentResponses({ 200: { body: deliveryPageSchema, description: 'One page of deliveries.' } }),
    },
    handler: async ({ query }) => {
      const filter = { integrationId: null, state: query.state ?? null, ...toReceptionRange(query) };
      return toDeliveryPageBody(query, await readPage(ledger, filter, query), integrations);
    },
  });
}

/**
 * `GET /api/v1/widgets/{id}/deliveries`: one page of the hooks that name a widget, the latest received first. A user
 * who may read widgets may read it, because the events of a stream contain the same.
 */
export function listDeliveriesOfWidgetRoute({ widgets, integrations, ledger }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.listDeliveries',
      summary: 'List the deliveries of a widget',
      description:
        'Returns the accepted hooks that name the widget, of all integrations, the latest received first, each with what it changed and with its payload, if that is short. So it is the history of the widget since its creation, as far as deliveries are kept: a published or discarded one for 7 days after that, unless the operator of the service has set another time. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      params: idParamsSchema,
      querystring: listDeliveriesOfWidgetQuerySchema,
      response: documentResponses(
        { 200: { body: deliveryOfWidgetPageSchema, description: 'One page of deliveries.' } },
        'not-found',
      ),
    },
    handler: async (request, reply) => {
      const { params, query } = request;
      const reading = requireById(widgets, params, 'widget');
      const { id: widgetId } = await withinRequestDeadline(request, reading, 'get a widget');
      const filter = { widgetId, ...toReceptionRange(query) };
      const page = await toDeliveryPageBody(query, await readPage(ledger, filter, query), integrations);
      const eventIds = page.items.map(({ eventId }) => eventId);
      const payloads = await ledger.getPayloads(eventIds, largestListedPayloadBytes);
      // A text, not an object: the payload is the sender's own text, and parsing it could change its numbers.
      return reply.header('content-type', 'application/json; charset=utf-8').send(toDeliveryPageText(page, payloads));
    },
  });
}

/** Selects deliveries of one integration. */
type IntegrationDeliveryFilter = Extract<DeliveryFilter, { readonly integrationId: unknown }> & {
  readonly integrationId: string;
};

/**
 * Finds the delivery of the hook that an integration sent with a `webhook-id`. Hooks with one `webhook-id` are one
 * delivery, whose event id follows from it, so this reads one row. Returns null if there is none, or if the filter does
 * not select it. Throws `UnavailableError`.
 */
async function findDeliveryByWebhookId(
  ledger: Pick<DeliveryLedger, 'get'>,
  filter: IntegrationDeliveryFilter,
  webhookId: string,
): Promise<DeliverySummary | null> {
  const row = await ledger.get(deriveEventId(filter.integrationId, { kind: 'webhook-id', value: webhookId }));
  return row !== null && isSelected(row, filter) ? row : null;
}

function isSelected(row: LedgerRow, filter: IntegrationDeliveryFilter): boolean {
  const { integrationId, state, receivedFrom = row.receivedAt, receivedBefore } = filter;
  if (row.integrationId !== integrationId || (state !== null && row.state !== state)) return false;
  return row.receivedAt >= receivedFrom && (receivedBefore === undefined || row.receivedAt < receivedBefore);
}

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
      const { id: integrationId, name } = await requireById(integrations, params, 'integration');
      const row = requireFound(await ledger.get(requireId(params.eventId, what)), what);
      if (row.integrationId !== integrationId) throw notFound(what);
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
      const { id: integrationId, name } = await requireById(integrations, params, 'integration');
      const outcome = await redrive.redriveOne(integrationId, requireId(params.eventId, what));
      if (outcome.status === 'unknown') throw notFound(what);
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
      const integrationId = requireId(request.params.id, what);
      const outcome = await ledger.discard(integrationId, requireId(request.params.eventId, what), clock.now());
      if (outcome === 'unknown') throw notFound(what);
      if (outcome === 'not-dead') {
        throw new ServiceError('delivery-not-dead', 'Only a dead delivery can be discarded.');
      }
      noteAudit(request, { before: { integrationId }, isSkipped: outcome === 'discarded-before' });
      return reply.code(204).send();
    },
  });
}
