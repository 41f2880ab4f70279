import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

/** Says what a filter lets through. `nameOf` returns the name of a widget, or null if it has none. */
export function describeFilter(
  { types, widgetIds, states, labels }: Schemas['EventFilter'],
  nameOf: (id: string) => string | null,
): string {
  const { streams, widgets } = texts;
  const parts = [
    [streams.types, types?.map((type) => streams.typeNames[type])],
    [streams.states, states?.map((state) => widgets.states[state])],
    [streams.labels, labels],
    [streams.widgets, widgetIds?.map((id) => nameOf(id) ?? id)],
  ] as const;
  const given = parts.flatMap(([title, values]) => (values ? [`${title}: ${values.join(', ')}`] : []));
  return given.length === 0 ? streams.everything : given.join(' · ');
}
