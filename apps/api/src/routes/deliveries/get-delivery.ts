import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { deliveryWithPayloadSchema } from '../../schemas/delivery.ts';
import { answers } from '../../schemas/problem.ts';
import { toDeliveryText } from './delivery-body.ts';
import { deliveryParamsSchema, integrationIdOf, unknownDelivery } from './delivery-path.ts';

export interface GetDeliveryRouteDeps {
  readonly integrations: Pick<IntegrationStore, 'get'>;
  /** A plain read goes from the route to the port. */
  readonly ledger: Pick<DeliveryLedger, 'get'>;
}

/** `GET /api/v1/integrations/{id}/deliveries/{eventId}`. */
export function registerGetDelivery(app: ZodApp, { integrations, ledger }: GetDeliveryRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/integrations/:id/deliveries/:eventId',
    config: { policy: { permission: 'integrations:manage' } },
    schema: {
      operationId: 'example.deliveries.get',
      summary: 'Get a delivery',
      description: 'What became of one hook, with its payload as it was written. Unknown until a worker has taken it.',
      security: [{ sessionCookie: [] }],
      params: deliveryParamsSchema,
      response: answers({ 200: deliveryWithPayloadSchema }, 'not-found'),
    },
    handler: async ({ params }, reply) => {
      const integrationId = await integrationIdOf(params, integrations);
      const eventId = parseUuid(params.eventId);
      const row = eventId === null ? null : await ledger.get(eventId);
      if (row === null || row.integrationId !== integrationId) throw unknownDelivery();
      return reply.header('content-type', 'application/json; charset=utf-8').send(toDeliveryText(row));
    },
  });
}
