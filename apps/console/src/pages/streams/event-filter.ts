import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import type { Schemas } from '../../service/service.ts';

export type EventFilter = Schemas['NewEventFilter'];

/** Whether events of the widget, as it is now, would pass the filter. Null and nothing let all through. */
export function passesFilter(widget: LiveWidget, { widgetIds, states, labels }: EventFilter): boolean {
  return (
    (!widgetIds || widgetIds.includes(widget.id)) &&
    (!states || states.includes(widget.state)) &&
    (!labels || widget.labels.some((label) => labels.includes(label)))
  );
}

/** Says in a few words what a filter lets through, or null for everything. */
export function describeFilter({ types, widgetIds, states, labels }: Schemas['EventFilter']): string | null {
  const parts = [
    types?.map((type) => type.slice('widget.'.length)).join(', '),
    states?.join(', '),
    labels?.join(', '),
    widgetIds?.join(', '),
  ];
  const given = parts.filter((part) => part !== undefined && part !== '');
  return given.length === 0 ? null : given.join(' · ');
}
