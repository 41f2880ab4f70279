import { WidgetName } from '../../parts/widget-name.tsx';
import { texts } from '../../texts/texts.ts';

/** What names a delivery in a list: its widget, or that it has none. */
export function HookWidget({ id }: { readonly id: string | null }) {
  return id === null ? <span class="muted">{texts.hooks.noWidget}</span> : <WidgetName id={id} />;
}
