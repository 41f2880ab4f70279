import { offsetOf, type PageRequest } from '../../domain/page.ts';
import type { DeliveryFilter, DeliveryLedger, ListedDelivery } from '../../ports/delivery-ledger.ts';

/** There may be hundreds of millions, and counting costs time in proportion: nobody pages through more than this. */
const totalMax = 10_000;

export interface DeliveryPage {
  readonly items: readonly ListedDelivery[];
  /** Exact up to 10 000, and not less than what was seen. */
  readonly totalItems: number;
  /** Always exact. */
  readonly hasNext: boolean;
}

/** One page of what became of an integration's hooks, the last received first. */
export function createListDeliveries({ ledger }: { readonly ledger: Pick<DeliveryLedger, 'list' | 'count'> }) {
  return async (filter: DeliveryFilter, request: PageRequest): Promise<DeliveryPage> => {
    const offset = offsetOf(request);
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
