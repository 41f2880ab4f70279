import { countPages } from '@widget-service/shared/domain/page.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/grant-store.ts';
import type { makeListDeliveries } from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { deliveryPageSchema, listDeliveriesQuerySchema } from '../../schemas/delivery.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { deliveriesParamsSchema, requireIntegrationId, toDeliveryBody } from './delivery-resource.ts';

export interface ListDeliveriesRouteDeps {
  readonly integrations: Pick<IntegrationStore, 'get'>;
  readonly listDeliveries: ReturnType<typeof makeListDeliveries>;
}

/** `GET /api/v1/integrations/{id}/deliveries`: what became of an integration's hooks, the last received first. */
export function registerListDeliveries(app: ZodApp, { integrations, listDeliveries }: ListDeliveriesRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/integrations/:id/deliveries',
    config: { policy: { permission: 'integrations:manage' } },
    schema: {
      operationId: 'example.deliveries.list',
      summary: 'List deliveries',
      description:
        'What became of the hooks of an integration, the last received first, for 7 days after publication; what is dead is kept until it is redriven. `totalItems` is exact up to 10 000 and stays there above; `hasNext` is always exact.',
      security: [{ sessionCookie: [] }],
      params: deliveriesParamsSchema,
      querystring: listDeliveriesQuerySchema,
      response: documentResponses(
        { 200: { body: deliveryPageSchema, description: 'One page of deliveries.' } },
        'not-found',
      ),
    },
    handler: async ({ params, query }) => {
      const integrationId = await requireIntegrationId(params, integrations);
      const { page, pageSize, state = null } = query;
      const { items, totalItems, hasNext } = await listDeliveries({ integrationId, state }, { page, pageSize });
      const totalPages = countPages(totalItems, pageSize);
      return { items: items.map(toDeliveryBody), page, pageSize, totalItems, totalPages, hasNext };
    },
  });
}
