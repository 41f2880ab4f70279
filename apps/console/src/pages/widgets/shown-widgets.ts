import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';

export interface WidgetSearch {
  readonly text: string;
  readonly state: 'active' | 'retired' | null;
}

/** The searchable text of each widget, made once: a new version of a widget is another object. */
const searchTexts = new WeakMap<LiveWidget, string>();

function readSearchText(widget: LiveWidget): string {
  let text = searchTexts.get(widget);
  if (text === undefined) {
    text = [widget.name, ...widget.labels, widget.id].join('\n').toLowerCase();
    searchTexts.set(widget, text);
  }
  return text;
}

/** Returns the widgets with all words of the search in name, labels or id. The same array if nothing is searched. */
export function filterWidgets(widgets: readonly LiveWidget[], { text, state }: WidgetSearch): readonly LiveWidget[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 && state === null) return widgets;
  return widgets.filter(
    (widget) =>
      (state === null || widget.state === state) && words.every((word) => readSearchText(widget).includes(word)),
  );
}
