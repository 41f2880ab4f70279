import type { components } from '@widget-service/client/interface.ts';
import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import type { WidgetStreamEvent } from '@widget-service/client/stream/stream-event.ts';

type EventFilter = components['schemas']['NewEventFilter'];

/** What a filter reads. Null: it does not matter, or the event has none. */
interface Facts {
  readonly type: string | null;
  readonly widgetId: string | null;
  readonly states: readonly string[];
  readonly labels: readonly string[];
}

/** Whether a stream with this filter sends the event. The service decides by the same rules. */
export function eventPasses({ type, subject, data }: WidgetStreamEvent, filter: EventFilter): boolean {
  const { widget, stateChanged, origin } = data;
  // The state before counts, too. There are two states, and a creation over the API had none before.
  const otherStates = stateChanged && origin === 'hook' ? ['active', 'retired'] : [];
  const states = widget === null ? [] : [widget.state, ...otherStates];
  return passes({ type, widgetId: subject ?? null, states, labels: widget?.labels ?? [] }, filter);
}

/** Whether a stream with this filter sends events of the widget as it is now. Kinds do not matter. */
export function widgetPasses({ id, state, labels }: LiveWidget, filter: EventFilter): boolean {
  return passes({ type: null, widgetId: id, states: [state], labels }, filter);
}

function passes({ type, widgetId, states, labels }: Facts, filter: EventFilter): boolean {
  return (
    (type === null || isAmong(filter.types, [type])) &&
    isAmong(filter.widgetIds, widgetId === null ? [] : [widgetId]) &&
    isAmong(filter.states, states) &&
    isAmong(filter.labels, labels)
  );
}

/** Null or nothing lets everything through. */
function isAmong(wanted: readonly string[] | null | undefined, values: readonly string[]): boolean {
  return !wanted || values.some((value) => wanted.includes(value));
}
