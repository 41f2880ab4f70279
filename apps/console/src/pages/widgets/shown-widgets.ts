import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { orderByName } from './order-by-name.ts';
import { makeMatcher, parseSearch } from './search-words.ts';

/** `newest`: by creation, the last one first, as the rows come. `updated`: the one that changed last first. */
export const widgetOrders = ['newest', 'updated', 'name'] as const;
export type WidgetOrder = (typeof widgetOrders)[number];

export interface WidgetSearch {
  /** See `parseSearch`. */
  readonly text: string;
  readonly state: 'active' | 'retired' | null;
  readonly order: WidgetOrder;
}

/**
 * Returns the widgets that the search finds, in its order. `widgets` are the newest first. The same array if nothing is
 * searched and the order is theirs.
 */
export function selectWidgets(
  widgets: readonly LiveWidget[],
  { text, state, order }: WidgetSearch,
): readonly LiveWidget[] {
  const found = filterWidgets(widgets, { text, state });
  if (order === 'newest') return found;
  return order === 'name' ? orderByName(found) : [...found].sort(compareUpdates);
}

/** Returns the widgets that the search finds. The same array if nothing is searched. */
export function filterWidgets(
  widgets: readonly LiveWidget[],
  { text, state }: Pick<WidgetSearch, 'text' | 'state'>,
): readonly LiveWidget[] {
  const sought = parseSearch(text);
  if (sought.words.length + sought.labels.length === 0 && state === null) return widgets;
  const matches = makeMatcher(sought);
  return widgets.filter((widget) => (state === null || widget.state === state) && matches(widget));
}

/** Times of the service have one form, so they sort as texts. */
function compareUpdates({ updatedAt: one }: LiveWidget, { updatedAt: other }: LiveWidget): number {
  return one === other ? 0 : one < other ? 1 : -1;
}
