import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { ProblemError } from '@widget-service/client/requests/failures.ts';
import { api, type Schemas } from '../../service/service.ts';

type Delivery = Schemas['DeliveryWithPayload'];

/** Reads a delivery. Its payload and its event keep every digit, so `formatExactJson` must write them. */
export async function readDelivery(id: string, eventId: string, signal: AbortSignal): Promise<Delivery> {
  const text: string = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', {
    params: { path: { id, eventId } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as Delivery;
}

/** Null: the integration has no delivery with this event id, or no worker has registered it yet. */
export async function findDelivery(id: string, eventId: string, signal: AbortSignal): Promise<Delivery | null> {
  try {
    return await readDelivery(id, eventId, signal);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}
