import type { Delivery } from '../../domain/hook-event.ts';
import { type PageRequest, toOffset } from '../../domain/page.ts';
import type { DeliveryFilter, DeliveryLedger, DeliverySummary, LedgerRow } from '../../ports/delivery-ledger.ts';
import type { GroupCommit } from './group-commit.ts';

/** There may be hundreds of millions, and counting costs time in proportion: nobody pages through more than this. */
const totalMax = 10_000;

export interface DeliveryPage {
  readonly items: readonly DeliverySummary[];
  /** Exact up to 10 000, and not less than what was seen. */
  readonly totalItems: number;
  /** Always exact. */
  readonly hasNext: boolean;
}

/** One page of what became of an integration's hooks, the last received first. */
export function makeListDeliveries({ ledger }: { readonly ledger: Pick<DeliveryLedger, 'list' | 'count'> }) {
  return async (filter: DeliveryFilter, request: PageRequest): Promise<DeliveryPage> => {
    const offset = toOffset(request);
    const rows = await ledger.list(filter, { offset, limit: request.pageSize + 1 });
    const hasNext = rows.length > request.pageSize;
    const items = hasNext ? rows.slice(0, request.pageSize) : rows;
    const seen = offset + rows.length;
    const isEndSeen = !hasNext && (items.length > 0 || request.page === 1);
    const totalItems = isEndSeen ? seen : await ledger.count(filter, totalMax);
    // A hook that came in between must not make the total contradict the rows.
    return { items, totalItems: items.length > 0 ? Math.max(totalItems, seen) : totalItems, hasNext };
  };
}

export interface RedriveDeliveryDeps {
  readonly ledger: Pick<DeliveryLedger, 'get'>;
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
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
export function makeRedriveDelivery({ ledger, groupCommit }: RedriveDeliveryDeps) {
  return async (integrationId: string, eventId: string): Promise<RedriveOutcome> => {
    const row = await ledger.get(eventId);
    if (row === null || row.integrationId !== integrationId) return { status: 'unknown' };
    if (row.state !== 'dead') return { status: 'not-dead' };
    const { kind, occurredAt, widgetId, payload, receivedAt } = row;
    const delivery = { eventId, integrationId, kind, occurredAt, widgetId, payload, receivedAt, redrive: true };
    await groupCommit.submit({ type: 'delivery', delivery: delivery as Delivery });
    return { status: 'queued', delivery: row };
  };
}
