import { api, type Schemas } from '../../service/service.ts';
import { followRedrive, type RedrivenDelivery } from './follow-redrive.ts';
import { type RedriveOutcome, sortReport } from './redrive-outcome.ts';

/** One request redrives so many. */
const batchSize = 100;
/** The longest page of a list. */
const pageSize = 200;

/**
 * Redrives dead deliveries of any integrations, and waits until each is published or dead again. `onProgress` gets how
 * many were sent.
 */
export async function redriveMany(
  deliveries: readonly RedrivenDelivery[],
  onProgress: (sent: number) => void,
): Promise<RedriveOutcome> {
  const reports: Schemas['Redrive'][] = [];
  for (let start = 0; start < deliveries.length; start += batchSize) {
    onProgress(start);
    const eventIds = deliveries.slice(start, start + batchSize).map(({ eventId }) => eventId);
    reports.push(...(await api.POST('/api/v1/deliveries/redrive', { body: { eventIds } })).items);
  }
  onProgress(deliveries.length);
  const { followed, failed, gone } = sortReport(deliveries, reports);
  return { ...(await followRedrive(followed)), failed, gone };
}

/** Reads all dead deliveries that were received before `to`, of all integrations. */
export async function readAllDead(to: string): Promise<Schemas['Delivery'][]> {
  const found: Schemas['Delivery'][] = [];
  for (let page = 1; ; page += 1) {
    const query = { state: 'dead' as const, to, page, pageSize };
    const { items, hasNext } = await api.GET('/api/v1/deliveries', { params: { query } });
    found.push(...items);
    if (!hasNext) return found;
  }
}
