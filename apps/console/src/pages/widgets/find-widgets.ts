import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keepWidgetName } from '../../parts/widget-name.tsx';
import { type Schemas, service } from '../../service/service.ts';
import { makeMatcher, parseSearch } from './search-words.ts';

type Widget = Schemas['Widget'];

interface Found {
  /** Newest first. */
  readonly items: readonly Widget[];
  /** How many widgets were looked at. */
  readonly searched: number;
  /** Whether the search has ended: all widgets were looked at, or as many as were wanted are found. */
  readonly isDone: boolean;
  /** Why the search has stopped early, or null. */
  readonly error: unknown;
}

const nothing: Found = { items: [], searched: 0, isDone: false, error: null };
/** A person who types starts no search for each letter. */
const typingMs = 200;
/** So many widgets come with one request. */
const progressStep = 200;

/**
 * Looks through the list of widgets, which the service pages but does not search, from the newest on. It keeps only
 * what it finds.
 *
 * @param key Another search begins when it changes. Null: none is wanted.
 * @param most The search ends when it has found so many.
 * @param known What fits of these is there at once.
 */
export function useFoundWidgets(
  key: string | null,
  matches: (widget: Widget) => boolean,
  most: number,
  known: readonly Widget[] = [],
): ReadonlySignal<Found> {
  const found = useSignal(nothing);
  useEffect(() => {
    // What still fits stays until the first answer.
    const before = found.peek().items.length === 0 ? known : found.peek().items;
    found.value = { ...nothing, items: key === null ? [] : before.filter(matches).slice(0, most) };
    if (key === null) return;
    const left = new AbortController();
    const search = async () => {
      let searched = 0;
      let items: readonly Widget[] = [];
      for await (const widget of service.listWidgets({ signal: left.signal })) {
        searched += 1;
        const isMatch = matches(widget);
        if (isMatch) {
          items = [...items, widget];
          keepWidgetName(widget);
        }
        if (isMatch || searched % progressStep === 0) found.value = { ...nothing, items, searched };
        if (items.length === most) break;
      }
      found.value = { items, searched, isDone: true, error: null };
    };
    const fail = (error: unknown) => {
      if (!left.signal.aborted) found.value = { ...found.peek(), isDone: true, error };
    };
    const timer = setTimeout(() => void search().catch(fail), typingMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [key, most]);
  return found;
}

/** Finds widgets by words of the name, of a label or of the id. None without a text. */
export function useWidgetsByText(text: string, most: number): Found {
  const words = text.trim();
  return useFoundWidgets(words === '' ? null : words, makeMatcher(parseSearch(words)), most).value;
}
