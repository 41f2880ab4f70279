import type { Delivery } from '../../domain/delivery.ts';
import { deriveEventId } from '../../domain/hook-event-id.ts';
import type { DeliveryFilter, DeliveryLedger, DeliverySummary, LedgerRow } from '../../ports/delivery-ledger.ts';
import type { GroupCommit } from './group-commit.ts';

/** Selects deliveries of one integration. */
type IntegrationDeliveryFilter = Extract<DeliveryFilter, { readonly integrationId: unknown }> & {
  readonly integrationId: string;
};

/**
 * Finds the delivery of the hook that an integration sent with a `webhook-id`. Hooks with one `webhook-id` are one
 * delivery, whose event id follows from it, so this reads one row. Returns null if there is none, or if the filter does
 * not select it. Throws `UnavailableError`.
 */
export async function findDeliveryByWebhookId(
  ledger: Pick<DeliveryLedger, 'get'>,
  filter: IntegrationDeliveryFilter,
  webhookId: string,
): Promise<DeliverySummary | null> {
  const row = await ledger.get(deriveEventId(filter.integrationId, { kind: 'webhook-id', value: webhookId }));
  return row !== null && isSelected(row, filter) ? row : null;
}

function isSelected(row: LedgerRow, filter: IntegrationDeliveryFilter): boolean {
  const { integrationId, state, receivedFrom = row.receivedAt, receivedBefore } = filter;
  if (row.integrationId !== integrationId || (state !== null && row.state !== state)) return false;
  return row.receivedAt >= receivedFrom && (receivedBefore === undefined || row.receivedAt < receivedBefore);
}

export interface RedriveDeliveryDeps {
  readonly ledger: Pick<DeliveryLedger, 'get'>;
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
}

export type RedriveOutcome =
  /**
   * The delivery is durably queued again. `delivery` is its row, as read before that. The row stays `dead` until a
   * worker registers the delivery.
   */
  | { readonly status: 'queued'; readonly delivery: LedgerRow }
  /** There is no such delivery, or it belongs to another integration. */
  | { readonly status: 'unknown' }
  /** The delivery is published or discarded, or a run has registered it and its event is not published yet. */
  | { readonly status: 'not-dead' };

/**
 * Makes the function that redrives a dead letter: it puts the delivery into the queue again, with its original
 * `receivedAt`. Redriving it twice does no harm: once it is published or discarded, a run drops it as a duplicate. A
 * malformed delivery is queued with the fields that could be read. It becomes a dead letter again, unless the worker's
 * version of the service can parse it.
 *
 * Throws `UnavailableError` when the ledger does not answer or `GroupCommit.submit` throws it. If the admission limit
 * is exceeded or too many callers wait, the delivery is not queued. If the queue does not answer in time, it may be
 * queued all the same.
 */
export function makeRedriveDelivery({ ledger, groupCommit }: RedriveDeliveryDeps) {
  return async (integrationId: string, eventId: string): Promise<RedriveOutcome> => {
    const row = await ledger.get(eventId);
    if (row === null || row.integrationId !== integrationId) return { status: 'unknown' };
    if (row.state !== 'dead') return { status: 'not-dead' };
    const { kind, occurredAt, widgetId, payload, receivedAt } = row;
    const delivery = { eventId, integrationId, kind, occurredAt, widgetId, payload, receivedAt, redrive: true };
    // The cast is not checked here: the worker parses the delivery again.
    await groupCommit.submit({ type: 'delivery', delivery: delivery as Delivery });
    return { status: 'queued', delivery: row };
  };
}
