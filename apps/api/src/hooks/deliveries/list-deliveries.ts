import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type {
  DeliveryFilter,
  DeliveryLedger,
  DeliverySummary,
  LedgerRow,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { listCountedPage } from '@widget-service/shared/usecases/lists/list-counted-page.ts';
import { z } from 'zod';
import { withinRequestDeadline } from '../../http/request-deadline.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import type { RouteDeps } from '../../route-deps.ts';
import { selectPage, toPageBody } from '../../schemas/page.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import {
  deliveriesParamsSchema,
  deliveryOfWidgetPageSchema,
  deliveryPageSchema,
  largestListedPayloadBytes,
  listAllDeliveriesQuerySchema,
  listDeliveriesOfWidgetQuerySchema,
  listDeliveriesQuerySchema,
  toDeliveryBody,
  toDeliveryPageBody,
  toDeliveryPageText,
  toReceptionRange,
} from './delivery.ts';

/** `GET /api/v1/integrations/{id}/deliveries`: one page of an integration's deliveries, the latest received first. */
export function listDeliveriesRoute({ integrations, ledger }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.deliveries.list',
      summary: 'List deliveries',
      description:
        'Returns the accepted hooks of an integration with their states, the latest received first. A published or discarded delivery is listed for 7 days after that, unless the operator of the service has set another time. Other deliveries are listed without limit. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      params: deliveriesParamsSchema,
      querystring: listDeliveriesQuerySchema,
      response: documentResponses(
        { 200: { body: deliveryPageSchema, description: 'One page of deliveries.' } },
        'not-found',
      ),
    },
    handler: async ({ params, query }) => {
      const { id: integrationId, name } = await requireIntegration(params, integrations);
      const toItem = (row: DeliverySummary) => toDeliveryBody(row, name);
      const filter = { integrationId, state: query.state ?? null, ...toReceptionRange(query) };
      if (query.webhookId === undefined) {
        return toPageBody(query, await listCountedPage(ledger, filter, query), toItem);
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
      return toDeliveryPageBody(query, await listCountedPage(ledger, filter, query), integrations);
    },
  });
}

/**
 * `GET /api/v1/widgets/{id}/deliveries`: one page of the hooks that name a widget, the latest received first. Who may
 * read widgets may read it: the events of a stream tell the same.
 */
export function listDeliveriesOfWidgetRoute({ widgets, integrations, ledger }: RouteDeps): Route {
  return defineRoute({
    schema: {
      operationId: 'example.widgets.listDeliveries',
      summary: 'List the deliveries of a widget',
      description:
        'Returns the accepted hooks that name the widget, of all integrations, the latest received first, each with what it changed and with its payload, if that is short. So it is the history of the widget since its creation, as far as deliveries are kept: a published or discarded one for 7 days after that, unless the operator of the service has set another time. `totalItems` is exact up to 10 000; above that, it is only a lower bound. `hasNext` is always exact. Only the first 10 000 can be read: select older ones with `to`.',
      params: z.object({ id: z.string() }),
      querystring: listDeliveriesOfWidgetQuerySchema,
      response: documentResponses(
        { 200: { body: deliveryOfWidgetPageSchema, description: 'One page of deliveries.' } },
        'not-found',
      ),
    },
    handler: async (request, reply) => {
      const id = parseUuid(request.params.id);
      const widget = id === null ? null : await withinRequestDeadline(request, widgets.get(id), 'get a widget');
      if (widget === null) throw new ServiceError('not-found', 'There is no such widget.');
      const { query } = request;
      const filter = { widgetId: widget.id, ...toReceptionRange(query) };
      const page = await toDeliveryPageBody(query, await listCountedPage(ledger, filter, query), integrations);
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
