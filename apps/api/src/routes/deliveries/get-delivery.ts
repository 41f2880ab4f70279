import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { DeliveryLedger } from '@widget-service/shared/ports/delivery-ledger.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/grant-store.ts';
import type { ZodApp } from '../../http/zod-validation.ts';
import { deliveryWithPayloadSchema } from '../../schemas/delivery.ts';
import { documentResponses } from '../../schemas/problem.ts';
import {
  deliveryParamsSchema,
  requireIntegrationId,
  toDeliveryText,
  toUnknownDeliveryError,
} from './delivery-resource.ts';

export interface GetDeliveryRouteDeps {
  readonly integrations: Pick<IntegrationStore, 'get'>;
  /** A read needs no use case, so the route calls the port. */
  readonly ledger: Pick<DeliveryLedger, 'get'>;
}

/** `GET /api/v1/integrations/{id}/deliveries/{eventId}`: one delivery with its payload. */
export function registerGetDelivery(app: ZodApp, { integrations, ledger }: GetDeliveryRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/integrations/:id/deliveries/:eventId',
    config: { policy: { permission: 'integrations:manage' } },
    schema: {
      operationId: 'example.deliveries.get',
      summary: 'Get a delivery',
      description:
        'Returns the state of one accepted hook, with its payload as it was sent. The response is 404 until a worker has registered the delivery.',
      params: deliveryParamsSchema,
      response: documentResponses({ 200: deliveryWithPayloadSchema }, 'not-found'),
    },
    handler: async ({ params }, reply) => {
      const integrationId = await requireIntegrationId(params, integrations);
      const eventId = parseUuid(params.eventId);
      const row = eventId === null ? null : await ledger.get(eventId);
      if (row === null || row.integrationId !== integrationId) throw toUnknownDeliveryError();
      // A text, not an object: the payload is the sender's own text, and parsing it could change its numbers.
      return reply.header('content-type', 'application/json; charset=utf-8').send(toDeliveryText(row));
    },
  });
}
