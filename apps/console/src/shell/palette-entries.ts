import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';

/** Something that the palette offers. */
export interface PaletteEntry {
  readonly key: string;
  readonly kind: 'page' | 'action' | 'widget';
  readonly label: string;
  readonly choose: () => void;
}

const shownWidgets = 8;

/**
 * Returns what matches the text: first pages and actions, then widgets. Each word must be in the label. Without a text,
 * all pages and actions.
 */
export function findEntries(
  text: string,
  fixed: readonly PaletteEntry[],
  widgets: readonly LiveWidget[],
  openWidget: (id: string) => void,
): PaletteEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = (label: string) => words.every((word) => label.toLowerCase().includes(word));
  const found: PaletteEntry[] = fixed.filter(({ label }) => matches(label));
  if (words.length === 0) return found;
  const most = found.length + shownWidgets;
  for (const { id, name } of widgets) {
    if (found.length >= most) break;
    if (matches(name) || id === words[0]) {
      found.push({ key: id, kind: 'widget', label: name, choose: () => openWidget(id) });
    }
  }
  return found;
}
