import type { Delivery } from '../domain/delivery.ts';
import type { LedgerRow } from './delivery-ledger.ts';

/**
 * Returns whether a run drops a delivery because of its row: the row is published or discarded, or names another
 * widget, or is dead and the delivery is not a redrive. It compares the widgets because one event id must not change
 * two widgets: the first delivery fixes the widget.
 */
export function isDuplicate(
  delivery: Pick<Delivery, 'widgetId' | 'redrive'>,
  row: Pick<LedgerRow, 'state' | 'widgetId'>,
): boolean {
  if (row.state === 'published' || row.state === 'discarded' || row.widgetId !== delivery.widgetId) return true;
  return row.state === 'dead' && !delivery.redrive;
}
