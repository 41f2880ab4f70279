import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { makeDiscardDelivery } from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import { z } from 'zod';
import { noteAudit } from '../../audit/audit.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { documentResponses } from '../../schemas/problem.ts';
import { deliveryParamsSchema, toUnknownDeliveryError } from './delivery-resource.ts';

export interface DiscardDeliveryRouteDeps {
  readonly discardDelivery: ReturnType<typeof makeDiscardDelivery>;
}

/** `DELETE /api/v1/integrations/{id}/deliveries/{eventId}`: erases the payload of a dead delivery. */
export function discardDeliveryRoute({ discardDelivery }: DiscardDeliveryRouteDeps): Route {
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
      const outcome = await discardDelivery(integrationId, eventId);
      if (outcome === 'unknown') throw toUnknownDeliveryError();
      if (outcome === 'not-dead') {
        throw new ServiceError('delivery-not-dead', 'Only a dead delivery can be discarded.');
      }
      noteAudit(request, { before: { integrationId }, isSkipped: outcome === 'discarded-before' });
      return reply.code(204).send();
    },
  });
}
