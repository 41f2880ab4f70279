import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keepWidgetName } from '../../parts/widget-name.tsx';
import { type Schemas, service } from '../../service/service.ts';
import { makeMatcher, parseSearch } from './search-words.ts';

type Widget = Schemas['Widget'];

export interface Found {
  /** Newest first. */
  readonly items: readonly Widget[];
  /** How many widgets were looked at. */
  readonly searched: number;
  /** Whether all widgets were looked at, or as many as were wanted are found. */
  readonly isDone: boolean;
  /** Why the search has stopped before, or null. */
  readonly error: unknown;
}

const nothing = { items: [] as readonly Widget[], searched: 0, isDone: false, error: null as unknown };
/** The pause in typing after which a search starts, in milliseconds. */
const typingMs = 200;
/** How many widgets one request returns. */
const progressStep = 200;

/**
 * Looks through the list of widgets, which the service pages but does not search, from the newest on. It keeps only
 * what it finds. Another search begins when `key` changes; null: none is wanted. It ends when it has found `most`. What
 * fits of `known` is there at once.
 */
export function useFoundWidgets(
  key: object | string | null,
  matches: (widget: Widget) => boolean,
  most: number,
  known: readonly Widget[] = [],
): Found {
  const found = useSignal({ ...nothing, key });
  useEffect(() => {
    // Earlier results that still match stay until the search has found as many, so that no row flickers.
    const before = found.peek().items.length === 0 ? known : found.peek().items;
    const kept = key === null ? [] : before.filter(matches).slice(0, most);
    const left = new AbortController();
    const show = (next: Partial<Found>) => {
      if (!left.signal.aborted) found.value = { ...nothing, ...next, key };
    };
    show({ items: kept });
    if (key === null) return;
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
        if (isMatch || searched % progressStep === 0) show({ items: longer(kept, items), searched });
        if (items.length === most) break;
      }
      show({ items, searched, isDone: true });
    };
    const timer = setTimeout(() => void search().catch((error) => show({ ...found.peek(), error })), typingMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [key, most]);
  // Until the effect has run, after the next frame, `found` may belong to an earlier search.
  return found.value.key === key ? found.value : { ...found.value, isDone: false, error: null };
}

const longer = (one: readonly Widget[], other: readonly Widget[]) => (other.length < one.length ? one : other);

/** Finds widgets by words of the name, of a label or of the id. None without a text. */
export function useWidgetsByText(text: string, most: number): Found {
  const words = text.trim();
  return useFoundWidgets(words === '' ? null : words, makeMatcher(parseSearch(words)), most);
}
