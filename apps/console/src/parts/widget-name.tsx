import { computed } from '@preact/signals';
import { rows } from '../live/shared-widgets.ts';
import { Link } from '../router/link.tsx';
import { texts } from '../texts/texts.ts';

/** The names of the loaded widgets, by id. */
export const widgetNames = computed(() => new Map(rows.value.map(({ id, name }) => [id, name])));

/** The name of a widget, which is what people know. Its id if no such widget is loaded. */
export function WidgetName({ id }: { readonly id: string | null }) {
  if (id === null) return <span class="muted">{texts.general.none}</span>;
  const name = widgetNames.value.get(id);
  return (
    <span class="widget-name" dir="auto">
      {name ?? <code>{id}</code>}
    </span>
  );
}

/** The same, with a link to the widget. */
export function WidgetLink({ id }: { readonly id: string | null }) {
  const name = <WidgetName id={id} />;
  return id === null ? name : <Link to={`/widgets/${id}`}>{name}</Link>;
}
