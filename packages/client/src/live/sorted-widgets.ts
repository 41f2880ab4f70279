import { compareNewestFirst, type LiveWidget } from './live-widget.ts';

/** Widgets in the order of the list. Finds, replaces and inserts by binary search. */
export class SortedWidgets {
  readonly #byId = new Map<string, LiveWidget>();
  readonly #sorted: LiveWidget[];
  #snapshot: readonly LiveWidget[] | null = null;

  constructor(widgets: Iterable<LiveWidget> = []) {
    for (const widget of widgets) this.#byId.set(widget.id, widget);
    this.#sorted = [...this.#byId.values()].sort(compareNewestFirst);
  }

  get(id: string): LiveWidget | undefined {
    return this.#byId.get(id);
  }

  /** Adds the widget, or replaces the one with its id. */
  set(widget: LiveWidget): void {
    const index = this.#findIndex(widget);
    const isKnown = this.#byId.has(widget.id);
    this.#byId.set(widget.id, widget);
    this.#sorted.splice(index, isKnown ? 1 : 0, widget);
    this.#snapshot = null;
  }

  delete(id: string): void {
    const widget = this.#byId.get(id);
    if (widget === undefined) return;
    this.#byId.delete(id);
    this.#sorted.splice(this.#findIndex(widget), 1);
    this.#snapshot = null;
  }

  values(): Iterable<LiveWidget> {
    return this.#byId.values();
  }

  /** An array that never changes. It is the same array until a widget changes. */
  snapshot(): readonly LiveWidget[] {
    this.#snapshot ??= this.#sorted.slice();
    return this.#snapshot;
  }

  /** Where the widget is, or belongs. `createdAt` and `id` never change, so each version has the same place. */
  #findIndex(widget: LiveWidget): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#sorted[middle];
      if (other !== undefined && compareNewestFirst(other, widget) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
