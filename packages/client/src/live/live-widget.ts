import type { components } from '../interface.ts';
import type { WidgetStreamEvent } from '../stream/stream-event.ts';

/** A widget as the list returns it. */
export type Widget = components['schemas']['Widget'];

/**
 * A widget of a live collection. The owner's e-mail is known only if the widget was read from the list: events never
 * carry it, because the URL of a stream needs no other credential.
 */
export type LiveWidget = Omit<Widget, 'owner'> & {
  readonly owner: { readonly userId: string; readonly notify: boolean; readonly email?: string } | null;
};

/** Orders widgets as the list does: newest first, by `createdAt`, then by `id`. Both texts sort by their value. */
export function compareNewestFirst(one: LiveWidget, other: LiveWidget): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** The widget as the event shows it, with the owner's e-mail if `known` has it. Null: the event is about no widget. */
export function readSnapshot({ data }: WidgetStreamEvent, known: LiveWidget | undefined): LiveWidget | null {
  if (data.widget === null || known === undefined) return data.widget;
  return addEmail(data.widget, known);
}

/** Returns the higher of two versions of a widget, with the owner's e-mail if either has it. */
export function mergeVersions(one: LiveWidget, other: LiveWidget): LiveWidget {
  return one.version < other.version ? addEmail(other, one) : addEmail(one, other);
}

/** The owner of a widget never changes, so an e-mail that was read once stays right. */
function addEmail(widget: LiveWidget, known: LiveWidget): LiveWidget {
  const email = known.owner?.email;
  if (widget.owner === null || email === undefined) return widget;
  return { ...widget, owner: { ...widget.owner, email } };
}
