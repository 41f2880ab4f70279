import type { WidgetEventType } from './event-kind.ts';
import type { WidgetState } from './widget.ts';
import type { WidgetEvent } from './widget-event.ts';

/** Which events a stream shows: members are ANDed, the values of one member are ORed, null matches every event. */
export interface EventFilter {
  readonly types: readonly WidgetEventType[] | null;
  /** Lower-case UUIDs. */
  readonly widgetIds: readonly string[] | null;
  readonly states: readonly WidgetState[] | null;
  readonly labels: readonly string[] | null;
}

export const noFilter: EventFilter = { types: null, widgetIds: null, states: null, labels: null };

/** The members of an event that a filter reads. */
export type FilterableEvent = Pick<WidgetEvent, 'type' | 'widgetId' | 'state' | 'stateBefore' | 'labels'>;

/** Returns whether an event passes the filter. */
export type EventPredicate = (event: FilterableEvent) => boolean;

/**
 * Compiles a filter into a predicate, once for many events. Returns null for a filter without conditions.
 *
 * - `states` matches the widget's state before or after the event.
 * - `labels` matches if the widget has any of them.
 * - `widgetIds` matches the event's widget id. For a hook that is the id it named, even if no widget has it.
 *
 * For an event without a widget, `states` and `labels` never match.
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

/** Returns the same text for two filters exactly if their members hold the same sets of values, in any order. */
export function toFilterKey({ types, widgetIds, states, labels }: EventFilter): string {
  return JSON.stringify(
    [types, widgetIds, states, labels].map((values) => values && [...new Set<string>(values)].sort()),
  );
}
