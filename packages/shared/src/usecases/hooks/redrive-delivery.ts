import type { Delivery } from '../../domain/hook-event.ts';
import type { DeliveryLedger, LedgerRow } from '../../ports/delivery-ledger.ts';
import type { GroupCommit } from './group-commit.ts';

export interface RedriveDeliveryDeps {
  readonly ledger: Pick<DeliveryLedger, 'get'>;
  readonly gate: Pick<GroupCommit, 'submit'>;
}

export type RedriveOutcome =
  /** It is durably queued again; `delivery` is as it was until a worker takes it. */
  | { readonly status: 'queued'; readonly delivery: LedgerRow }
  /** Nothing is known of it, or it is another integration's. */
  | { readonly status: 'unknown' }
  /** It was carried out, or still is to be. */
  | { readonly status: 'not-dead' };

/**
 * Puts a dead delivery into the queue again, with its own time of receipt. Twice does no harm: the run that finds it
 * carried out drops it. One that was malformed is tried as it was read, and dies again unless this version knows it.
 * Throws `UnavailableError` when it is not certain to be queued.
 */
export function createRedriveDelivery({ ledger, gate }: RedriveDeliveryDeps) {
  return async (integrationId: string, eventId: string): Promise<RedriveOutcome> => {
    const row = await ledger.get(eventId);
    if (row === null || row.integrationId !== integrationId) return { status: 'unknown' };
    if (row.state !== 'dead') return { status: 'not-dead' };
    const { kind, occurredAt, widgetId, payload, receivedAt } = row;
    const delivery = { eventId, integrationId, kind, occurredAt, widgetId, payload, receivedAt, redrive: true };
    await gate.submit({ type: 'delivery', delivery: delivery as Delivery });
    return { status: 'queued', delivery: row };
  };
}
