import { Link } from '../../router/link.tsx';
import { texts } from '../../texts/texts.ts';

/** The id of the widget that a hook names, as a link to its page. Null: it names none. */
export function linkWidget(id: string | null) {
  return id === null ? texts.general.none : <Link to={`/widgets/${id}`}>{id}</Link>;
}
