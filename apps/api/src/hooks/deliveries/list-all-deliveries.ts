import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { makeListDeliveries } from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { toDeliveryPageBody, toReceptionRange } from './delivery-resource.ts';
import { deliveryPageSchema, listAllDeliveriesQuerySchema } from './delivery-schema.ts';

export interface ListAllDeliveriesRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'list'>;
  readonly listDeliveries: ReturnType<typeof makeListDeliveries>;
}

/** `GET /api/v1/deliveries`: one page of the deliveries of all integrations, the latest received first. */
export function listAllDeliveriesRoute({ integrations, listDeliveries }: ListAllDeliveriesRouteDeps): Route {
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
      return toDeliveryPageBody(query, await listDeliveries(filter, query), integrations);
    },
  });
}
