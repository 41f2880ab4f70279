import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { foldText } from '../../parts/fold-text.ts';

/** Something that a field offers. */
export interface Suggestion {
  readonly value: string;
  readonly text: string;
  /** Tells suggestions with the same text apart. */
  readonly detail: string;
}

const most = 8;

/** Counts how many widgets have each label. */
export function countLabels(widgets: readonly Pick<LiveWidget, 'labels'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { labels } of widgets) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

/** Returns the labels that contain the text, in any case, the most frequent first. */
export function suggestLabels(
  counts: ReadonlyMap<string, number>,
  text: string,
  chosen: readonly string[],
): readonly Suggestion[] {
  const wanted = foldText(text.trim());
  return [...counts]
    .filter(([label]) => foldText(label).includes(wanted) && !chosen.includes(label))
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([label, count]) => ({ value: label, text: label, detail: String(count) }));
}

/** Returns the widgets whose name contains the text, in any case, or whose id begins with it. */
export function suggestWidgets(
  widgets: readonly Pick<LiveWidget, 'id' | 'name'>[],
  text: string,
  chosen: readonly string[],
): readonly Suggestion[] {
  const wanted = foldText(text.trim());
  const found: Suggestion[] = [];
  for (const { id, name } of widgets) {
    if (found.length === most) break;
    const matches = foldText(name).includes(wanted) || id.startsWith(wanted);
    if (matches && !chosen.includes(id)) found.push({ value: id, text: name, detail: `…${id.slice(-6)}` });
  }
  return found;
}

interface UnknownLabel {
  readonly label: string;
  /** A label that some widget has, and that differs only in its case or normal form. */
  readonly similar: string | null;
}

/** Returns those of the labels that no widget has. */
export function findUnknownLabels(
  counts: ReadonlyMap<string, number>,
  labels: readonly string[],
): readonly UnknownLabel[] {
  return labels
    .filter((label) => !counts.has(label))
    .map((label) => {
      const similar = [...counts.keys()].find((other) => foldText(other) === foldText(label));
      return { label, similar: similar ?? null };
    });
}
