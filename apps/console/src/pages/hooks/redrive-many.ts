import { api, type Schemas } from '../../service/service.ts';
import { followRedrive, type RedrivenDelivery } from './follow-redrive.ts';
import { type RedriveOutcome, sortReport } from './redrive-outcome.ts';

/** One request redrives so many. */
const batchSize = 100;
/** The longest page of a list. */
const pageSize = 200;
/** The service lists no more, and counts no further. */
export const readableMax = 10_000;

/**
 * Redrives dead deliveries of any integrations, and waits until each is published or dead again. `onProgress` gets how
 * many the service has finished with.
 */
export async function redriveMany(
  deliveries: readonly RedrivenDelivery[],
  onProgress: (done: number) => void,
): Promise<RedriveOutcome> {
  onProgress(0);
  const reports: Schemas['Redrive'][] = [];
  for (let start = 0; start < deliveries.length; start += batchSize) {
    const eventIds = deliveries.slice(start, start + batchSize).map(({ eventId }) => eventId);
    reports.push(...(await api.POST('/api/v1/deliveries/redrive', { body: { eventIds } })).items);
  }
  const { followed, failed, gone } = sortReport(deliveries, reports);
  return { ...(await followRedrive(followed, onProgress)), failed, gone };
}

/**
 * Reads the dead deliveries of all integrations, at most the latest 10,000. Those that die meanwhile are left out, so
 * that they shift no page.
 */
export async function readAllDead(): Promise<Schemas['Delivery'][]> {
  const found: Schemas['Delivery'][] = [];
  let to: string | null = null;
  for (let page = 1; ; page += 1) {
    const { items, hasNext } = await readDead(page, to);
    found.push(...items);
    const [first] = items;
    if (!hasNext || first === undefined || found.length >= readableMax) return found;
    // The service lists what is before this time, and the newest one belongs to it.
    to ??= new Date(Date.parse(first.receivedAt) + 1).toISOString();
  }
}

function readDead(page: number, to: string | null) {
  const query = { state: 'dead' as const, page, pageSize, ...(to === null ? {} : { to }) };
  return api.GET('/api/v1/deliveries', { params: { query } });
}
