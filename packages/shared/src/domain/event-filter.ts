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

/** Of an event, what a filter looks at. */
export type FilterableEvent = Pick<WidgetEvent, 'type' | 'widgetId' | 'state' | 'stateBefore' | 'labels'>;

/** Whether an event passes. */
export type EventPredicate = (event: FilterableEvent) => boolean;

/**
 * The filter as a test, made once for many events; null when it lets everything through. A state matches before or
 * after the event; labels match when the widget has any of them; an id matches as it was sent, also of a widget that
 * is not known. Without a widget, states and labels do not match.
 */
export function compileFilter({ types, widgetIds, states, labels }: EventFilter): EventPredicate | null {
  const tests: EventPredicate[] = [];
  if (types !== null) {
    const wanted = new Set(types);
    tests.push(({ type }) => wanted.has(type));
  }
  if (widgetIds !== null) {
    const wanted = new Set(widgetIds);
    tests.push(({ widgetId }) => widgetId !== null && wanted.has(widgetId));
  }
  if (states !== null) {
    const wanted = new Set<WidgetState | null>(states);
    tests.push(({ state, stateBefore }) => wanted.has(state) || wanted.has(stateBefore));
  }
  if (labels !== null) {
    const wanted = new Set(labels);
    tests.push((event) => event.labels?.some((label) => wanted.has(label)) ?? false);
  }
  return tests.length === 0 ? null : (event) => tests.every((test) => test(event));
}

/** A text that two filters share exactly when they let the same events through. */
export function toFilterKey({ types, widgetIds, states, labels }: EventFilter): string {
  return JSON.stringify(
    [types, widgetIds, states, labels].map((values) => values && [...new Set<string>(values)].sort()),
  );
}
