import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { api, type Schemas } from '../../service/service.ts';

/** Reads one delivery. Its payload and its event keep every digit, so `formatExactJson` must write them. */
export async function readDelivery(
  id: string,
  eventId: string,
  signal: AbortSignal,
): Promise<Schemas['DeliveryWithPayload']> {
  const text: string = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', {
    params: { path: { id, eventId } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as Schemas['DeliveryWithPayload'];
}
