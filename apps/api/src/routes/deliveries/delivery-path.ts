import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import { z } from 'zod';

export const deliveriesParamsSchema = z.object({ id: z.string() });
export const deliveryParamsSchema = z.object({ id: z.string(), eventId: z.string() });

/** The id of the integration in the path. Throws `not-found` when there is none of that id. */
export async function integrationIdOf(
  { id }: z.output<typeof deliveriesParamsSchema>,
  integrations: Pick<IntegrationStore, 'get'>,
): Promise<string> {
  const integrationId = parseUuid(id);
  const integration = integrationId === null ? null : await integrations.get(integrationId);
  if (integration === null) throw new ServiceError('not-found', 'There is no such integration.');
  return integration.id;
}

export function unknownDelivery(): ServiceError {
  return new ServiceError('not-found', 'There is no such delivery, or no worker has taken it yet.');
}
