import { api, type Schemas } from '../../service/service.ts';
import { isSettled, type RedriveOutcome, summarizeRedrive } from './redrive-outcome.ts';

/** A delivery as it was when it was redriven. */
export type RedrivenDelivery = Pick<Schemas['Delivery'], 'eventId' | 'integrationId' | 'attempts'>;

/** How long to wait between two looks at the redriven deliveries, in milliseconds. */
const lookMs = 500;
/** After so many looks, the outcome says how many deliveries still wait. */
const looksMax = 40;

/**
 * Reads redriven deliveries until the service has finished with each. `onProgress` gets the number of those that it has
 * finished with.
 */
export async function followRedrive(
  redriven: readonly RedrivenDelivery[],
  onProgress: (done: number) => void,
): Promise<RedriveOutcome> {
  const waiting = new Set(redriven);
  const settled: Schemas['Delivery'][] = [];
  for (let looks = 0; waiting.size > 0 && looks < looksMax; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    for (const one of waiting) {
      const path = { id: one.integrationId, eventId: one.eventId };
      const delivery = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', { params: { path } });
      if (!isSettled(delivery, one.attempts)) continue;
      settled.push(delivery);
      waiting.delete(one);
      onProgress(settled.length);
    }
  }
  return summarizeRedrive(settled, waiting.size);
}
