import type { WidgetStreamEvent } from '../stream/stream-event.ts';
import { compareNewestFirst, type LiveWidget, mergeVersions, readSnapshot, type Widget } from './live-widget.ts';

/** One change of a live collection. */
export type WidgetChange =
  | { readonly kind: 'added'; readonly widget: LiveWidget; readonly event: WidgetStreamEvent | null }
  | {
      readonly kind: 'changed';
      readonly widget: LiveWidget;
      readonly previous: LiveWidget;
      readonly event: WidgetStreamEvent | null;
    }
  | { readonly kind: 'removed'; readonly widget: LiveWidget; readonly event: WidgetStreamEvent | null };

/**
 * The widgets that pass a filter, built from pages of the list and from the events of a stream. It reads nothing
 * itself.
 *
 * A load begins with the position of the stream, then reads all pages while the events after that position arrive.
 * Pages and events may come in any order: of each widget, the load keeps the highest version. What it shows is replaced
 * when the load is complete, so a second load, after a gap, causes no flicker.
 *
 * Example: a page shows widget A at version 1. Its event for version 2, a retirement, arrives before the page. The load
 * remembers version 2, so the page does not bring A back into a collection of active widgets.
 */
export class WidgetCollection {
  readonly #matches: (widget: LiveWidget) => boolean;
  /** What the collection shows. */
  #shown = new SortedWidgets();
  /** Of each widget, the newest version that this load has seen, whether it matches or not. Null while no load runs. */
  #loading: Map<string, LiveWidget> | null = null;

  constructor(matches: (widget: LiveWidget) => boolean) {
    this.#matches = matches;
  }

  #isLoaded = false;

  /** Begins a load, and forgets an unfinished one. Goes on showing what it shows. */
  beginLoad(): void {
    this.#loading = new Map();
  }

  /** Adds rows of the list to the load. */
  addRows(rows: readonly Widget[]): void {
    for (const row of rows) this.#keepNewest(row);
  }

  /** Completes the load: shows exactly what it has found. Returns what changes by that. */
  finishLoad(): WidgetChange[] {
    const loaded = new SortedWidgets([...(this.#loading?.values() ?? [])].filter(this.#matches));
    const changes: WidgetChange[] = [];
    for (const widget of this.#shown.values()) {
      if (loaded.get(widget.id) === undefined) changes.push({ kind: 'removed', widget, event: null });
    }
    for (const widget of loaded.values()) {
      const previous = this.#shown.get(widget.id);
      if (previous === undefined) changes.push({ kind: 'added', widget, event: null });
      else if (previous.version !== widget.version) changes.push({ kind: 'changed', widget, previous, event: null });
    }
    this.#shown = loaded;
    this.#loading = null;
    this.#isLoaded = true;
    return changes;
  }

  /** Applies an event. Returns what it changes, or null: it may be about another widget, or about an older version. */
  apply(event: WidgetStreamEvent): WidgetChange | null {
    const id = event.data.widget?.id;
    if (id === undefined) return null;
    const previous = this.#shown.get(id);
    const widget = readSnapshot(event, this.#loading?.get(id) ?? previous);
    if (widget === null) return null;
    if (this.#loading !== null) this.#keepNewest(widget);
    // The first load shows nothing before it is complete: a part of the widgets would look like all of them.
    if (!this.#isLoaded || (previous !== undefined && previous.version >= widget.version)) return null;
    if (this.#matches(widget)) {
      this.#shown.set(widget);
      return previous === undefined ? { kind: 'added', widget, event } : { kind: 'changed', widget, previous, event };
    }
    if (previous === undefined) return null;
    this.#shown.delete(id);
    return { kind: 'removed', widget, event };
  }

  /** True once a load was complete. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** True while a load runs. */
  get isLoading(): boolean {
    return this.#loading !== null;
  }

  /** How many widgets the running load knows by now. 0 while no load runs. */
  get readCount(): number {
    return this.#loading?.size ?? 0;
  }

  get(id: string): LiveWidget | undefined {
    return this.#shown.get(id);
  }

  /** The widgets, newest first. It is the same array until a widget changes. */
  snapshot(): readonly LiveWidget[] {
    return this.#shown.snapshot();
  }

  #keepNewest(widget: LiveWidget): void {
    const known = this.#loading?.get(widget.id);
    this.#loading?.set(widget.id, known === undefined ? widget : mergeVersions(known, widget));
  }
}

/** Widgets in the order of the list. Finds, replaces and inserts by binary search. */
class SortedWidgets {
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

  /** Where the widget is, or belongs. `createdAt` and `id` never change, so a new version has the old place. */
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
