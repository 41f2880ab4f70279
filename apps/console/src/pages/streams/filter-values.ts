import { type Signal, signal } from '@preact/signals';
import { widgetStates } from '../../parts/badges.tsx';
import type { Schemas } from '../../service/service.ts';

type EventFilter = Schemas['NewEventFilter'];

export const eventTypes = { 'widget.created': 'Created', 'widget.updated': 'Updated', 'widget.retired': 'Retired' };

/** What a field of several values holds. */
export interface PickedValues {
  readonly chosen: readonly string[];
  /** What is typed beside them. In a field of several values it counts as one more. */
  readonly text: string;
}

/** What the fields of a filter hold. */
export interface FilterValues {
  readonly types: Signal<readonly NonNullable<EventFilter['types']>[number][]>;
  readonly states: Signal<readonly NonNullable<EventFilter['states']>[number][]>;
  readonly labels: Signal<PickedValues>;
  readonly widgetIds: Signal<PickedValues>;
}

/** Makes what the fields show for a filter. */
export function fromFilter({ types, states, labels, widgetIds }: EventFilter): FilterValues {
  return {
    types: signal(types ?? []),
    states: signal(states ?? []),
    labels: signal({ chosen: labels ?? [], text: '' }),
    widgetIds: signal({ chosen: widgetIds ?? [], text: '' }),
  };
}

/** Returns every value of a field once, what is typed included. */
export function readPicked({ chosen, text }: PickedValues): string[] {
  return [...new Set([...chosen, text.trim()])].filter((value) => value !== '');
}

/** Returns the filter for the service. An empty field lets everything through. */
export function toFilter({ types, states, labels, widgetIds }: FilterValues) {
  return {
    types: orNull(types.value),
    states: orNull(states.value),
    labels: orNull(readPicked(labels.value)),
    widgetIds: orNull(readPicked(widgetIds.value)),
  };
}

/** Says what a filter lets through. `nameOf` returns the name of a widget, or null if it has none. */
export function describeFilter(
  { types, widgetIds, states, labels }: Schemas['EventFilter'],
  nameOf: (id: string) => string | null,
): string {
  const parts = [
    ['Kinds', types?.map((type) => eventTypes[type])],
    ['States', states?.map((state) => widgetStates[state])],
    ['Labels', labels],
    ['Widgets', widgetIds?.map((id) => nameOf(id) ?? id)],
  ] as const;
  const given = parts.flatMap(([title, values]) => (values ? [`${title}: ${values.join(', ')}`] : []));
  return given.length === 0 ? 'All events' : given.join(' · ');
}

function orNull<Value>(values: readonly Value[]): Value[] | null {
  return values.length === 0 ? null : [...values];
}
