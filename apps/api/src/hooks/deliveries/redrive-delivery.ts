import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { makeRedriveDelivery } from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import { noteAudit } from '../../audit/audit.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { requireIntegration } from '../../sources/require-integration.ts';
import { deliveryParamsSchema, toDeliveryBody, toUnknownDeliveryError } from './delivery-resource.ts';
import { deliverySchema } from './delivery-schema.ts';

export interface RedriveDeliveryRouteDeps {
  readonly integrations: Pick<Collection<Integration>, 'get'>;
  readonly redriveDelivery: ReturnType<typeof makeRedriveDelivery>;
  readonly metrics: Pick<Metrics, 'deliveriesRedriven'>;
}

/** `POST /api/v1/integrations/{id}/deliveries/{eventId}/redrive`: queues a dead delivery again. */
export function redriveDeliveryRoute(deps: RedriveDeliveryRouteDeps): Route {
  const { integrations, redriveDelivery, metrics } = deps;
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
      const outcome = await redriveDelivery(integrationId, eventId);
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
