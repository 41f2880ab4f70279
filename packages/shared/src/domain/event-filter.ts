import type { WidgetState } from './widget.ts';
import type { WidgetEvent, WidgetEventType } from './widget-event.ts';

/** What a subscription lets through: the members are ANDed, the values of one are ORed, null lets everything through. */
export interface EventFilter {
  readonly types: readonly WidgetEventType[] | null;
  /** Lower-case UUIDs. */
  readonly widgetIds: readonly string[] | null;
  readonly states: readonly WidgetState[] | null;
  readonly labels: readonly string[] | null;
}

export const noFilter: EventFilter = { types: null, widgetIds: null, states: null, labels: null };

/** Whether the filter lets everything through. */
export function isOpen({ types, widgetIds, states, labels }: EventFilter): boolean {
  return types === null && widgetIds === null && states === null && labels === null;
}

type FilteredMembers = Pick<WidgetEvent, 'type' | 'widgetId' | 'state' | 'stateBefore' | 'labels'>;

/**
 * Whether an event passes. A state matches before or after the event; labels match when the widget has any of them; an
 * id matches as it was sent, also of a widget that is not known. Without a widget, states and labels do not match.
 */
export function passes(filter: EventFilter, event: FilteredMembers): boolean {
  const { types, widgetIds, states, labels } = filter;
  if (types !== null && !types.includes(event.type)) return false;
  if (widgetIds !== null && (event.widgetId === null || !widgetIds.includes(event.widgetId))) return false;
  if (states !== null && !states.some((state) => state === event.state || state === event.stateBefore)) return false;
  return labels === null || (event.labels?.some((label) => labels.includes(label)) ?? false);
}
