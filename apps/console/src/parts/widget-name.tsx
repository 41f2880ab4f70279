import { effect, type Signal, signal } from '@preact/signals';
import { readFailureKind } from '@widget-service/client/requests/failures.ts';
import { Link } from '../router/router.tsx';
import { service } from '../service/service.ts';
import { may, session } from '../session/session.ts';

/** The names that were read, by id. Null: not known, or not yet. The name of a widget never changes. */
const names = new Map<string, Signal<string | null>>();
// Forgets the names when the user changes, who may not be allowed to see them.
effect(() => {
  if (session.value?.user.id !== undefined) names.clear();
});

/** The name of a widget, or null while it is not known. Reading it in a component makes the component follow. */
export function nameWidget(id: string): string | null {
  const known = names.get(id);
  if (known !== undefined) return known.value;
  const name = signal<string | null>(null);
  names.set(id, name);
  if (may('widgets:read')) void readName(id, name);
  return name.value;
}

/** Keeps a name that was read with something else. */
export function keepWidgetName({ id, name }: { readonly id: string; readonly name: string }): void {
  const known = names.get(id);
  if (known === undefined) names.set(id, signal<string | null>(name));
  else known.value = name;
}

async function readName(id: string, name: Signal<string | null>): Promise<void> {
  try {
    name.value = (await service.getWidget(id)).name;
  } catch (error) {
    // Without an answer, the next component that shows the name asks again. Until then people see the id.
    if (readFailureKind(error) !== 'refusal') names.delete(id);
  }
}

/** The name of a widget, which is what people know. Its id if no such widget is known. */
export function WidgetName({ id }: { readonly id: string | null }) {
  if (id === null) return <span class="muted">none</span>;
  return (
    <span class="widget-name" dir="auto">
      {nameWidget(id) ?? <code>{id}</code>}
    </span>
  );
}

/** The same, with a link to the widget. */
export function WidgetLink({ id }: { readonly id: string | null }) {
  const name = <WidgetName id={id} />;
  return id === null ? name : <Link to={`/widgets/${id}`}>{name}</Link>;
}
