import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { ProblemError } from '@widget-service/client/requests/failures.ts';
import { WidgetName } from '../../parts/widget-name.tsx';
import { api, type Schemas } from '../../service/service.ts';

type Delivery = Schemas['DeliveryWithPayload'];

/** Why a delivery is dead. */
export const deadReasons = {
  'invalid-delivery': 'Processing failed repeatedly, or the queue entry is damaged.',
  'store-refused': 'The database rejects the content of this hook. Fix the cause, then redrive it.',
};

/** The same in a few words. */
export const shortDeadReasons = {
  'invalid-delivery': 'Processing failed',
  'store-refused': 'Rejected by the database',
} satisfies typeof deadReasons;

export const eventGone = 'The event is no longer in the event log, or the event log did not answer.';

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

/** What names a delivery in a list: its widget, or that it has none. */
export function HookWidget({ id }: { readonly id: string | null }) {
  return id === null ? <span class="muted">No widget</span> : <WidgetName id={id} />;
}
