import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { DeliverySummary } from '@widget-service/shared/ports/delivery-ledger.ts';
import type {
  makeFindDeliveryByWebhookId,
  makeListDeliveries,
} from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { selectPage, toPageBody } from '../../schemas/page-body.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import { deliveriesParamsSchema, toDeliveryBody, toReceptionRange } from './delivery-resource.ts';
import { deliveryPageSchema, listDeliveriesQuerySchema } from './delivery-schema.ts';

export interface ListDeliveriesRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  readonly listDeliveries: ReturnType<typeof makeListDeliveries>;
  readonly findDeliveryByWebhookId: ReturnType<typeof makeFindDeliveryByWebhookId>;
}

/** `GET /api/v1/integrations/{id}/deliveries`: one page of an integration's deliveries, the latest received first. */
export function listDeliveriesRoute(deps: ListDeliveriesRouteDeps): Route {
  const { integrations, listDeliveries, findDeliveryByWebhookId } = deps;
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
        return toPageBody(query, await listDeliveries(filter, query), toItem);
      }
      const found = await findDeliveryByWebhookId(filter, query.webhookId);
      return toPageBody(query, selectPage(query, found === null ? [] : [found]), toItem);
    },
  });
}
