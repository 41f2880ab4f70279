import { totalPagesOf } from '@widget-service/shared/domain/page.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import type { createListDeliveries } from '@widget-service/shared/usecases/hooks/list-deliveries.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { deliveryPageSchema, listDeliveriesQuerySchema } from '../../schemas/delivery.ts';
import { answers } from '../../schemas/problem.ts';
import { toDeliveryBody } from './delivery-body.ts';
import { deliveriesParamsSchema, integrationIdOf } from './delivery-path.ts';

export interface ListDeliveriesRouteDeps {
  readonly integrations: Pick<IntegrationStore, 'get'>;
  readonly listDeliveries: ReturnType<typeof createListDeliveries>;
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
      response: answers({ 200: { body: deliveryPageSchema, description: 'One page of deliveries.' } }, 'not-found'),
    },
    handler: async ({ params, query }) => {
      const integrationId = await integrationIdOf(params, integrations);
      const { page, pageSize, state = null } = query;
      const { items, totalItems, hasNext } = await listDeliveries({ integrationId, state }, { page, pageSize });
      const totalPages = totalPagesOf(totalItems, pageSize);
      return { items: items.map(toDeliveryBody), page, pageSize, totalItems, totalPages, hasNext };
    },
  });
}
