import { computed } from '@preact/signals';
import { rows } from '../live/shared-widgets.ts';
import { Link } from '../router/link.tsx';
import { texts } from '../texts/texts.ts';

const names = computed(() => new Map(rows.value.map(({ id, name }) => [id, name])));

/** The name of a widget, which is what people know, with a link to it. Its id if no such widget is loaded. */
export function WidgetName({ id }: { readonly id: string | null }) {
  if (id === null) return <span class="muted">{texts.general.none}</span>;
  const name = names.value.get(id);
  return (
    <Link to={`/widgets/${id}`} class="widget-link">
      {name === undefined ? <code>{id}</code> : <span dir="auto">{name}</span>}
    </Link>
  );
}
