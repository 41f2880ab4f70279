import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isForBrowser } from '../router/link.tsx';
import { recallScroll, rememberScroll } from '../router/scroll-memory.ts';
import { readKey } from './read-key.ts';

interface VirtualListProperties<Row> {
  readonly rows: readonly Row[];
  /** In pixels, and the same for every row. */
  readonly rowHeight: number;
  /** The accessible name of the list. */
  readonly label: string;
  readonly keyOf: (row: Row) => string;
  readonly renderRow: (row: Row) => ComponentChildren;
  /** The address of what the row opens: each row is a link, which the browser can open in a tab. */
  readonly toHref: (row: Row) => string;
  /** A click on a row, or Enter on the active one. */
  readonly onOpen: (row: Row) => void;
  /** Told whether the list is at its beginning. */
  readonly onScrolled?: (isAtTop: boolean) => void;
}

/** Rows beyond the visible ones that are rendered, so that a fast scroll shows no holes. */
const spareRows = 12;

/**
 * Shows only the visible rows of a long list. The arrow keys, Page Up, Page Down, Home, End, j and k move the active
 * row; Enter opens it.
 */
export function VirtualList<Row>(properties: VirtualListProperties<Row>) {
  const { rows, rowHeight, label, keyOf, renderRow, toHref, onOpen, onScrolled } = properties;
  const box = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useHeight(box);
  const active = useActiveRow(properties, box, height);
  // Back leads to the same place of the list.
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: recallScroll(label) });
  }, []);

  const first = Math.max(0, Math.floor(scrollTop.value / rowHeight) - spareRows);
  const last = Math.min(rows.length, Math.ceil((scrollTop.value + height) / rowHeight) + spareRows);
  const isActiveShown = active.index >= first && active.index < last;
  const click = (event: TargetedMouseEvent<HTMLDivElement>) => {
    if (event.defaultPrevented || isForBrowser(event)) return;
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null;
    const row = rows[Number(option?.dataset.index)];
    if (option === null || row === undefined) return;
    event.preventDefault();
    onOpen(row);
  };
  return (
    <div
      ref={box}
      class="virtual-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={isActiveShown ? `row-${active.key}` : undefined}
      tabIndex={0}
      onKeyDown={active.press}
      onClick={click}
      onScroll={({ currentTarget }) => {
        scrollTop.value = currentTarget.scrollTop;
        rememberScroll(label, currentTarget.scrollTop);
        onScrolled?.(currentTarget.scrollTop < rowHeight);
      }}
    >
      <div class="virtual-list-space" style={{ height: `${rows.length * rowHeight}px` }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows.slice(first, last).map((row, index) => (
            <a
              key={keyOf(row)}
              href={toHref(row)}
              draggable={false}
              id={`row-${keyOf(row)}`}
              class="virtual-row"
              role="option"
              tabIndex={-1}
              data-index={first + index}
              aria-selected={keyOf(row) === active.key}
              aria-posinset={first + index + 1}
              aria-setsize={rows.length}
              style={{ height: `${rowHeight}px` }}
            >
              {renderRow(row)}
            </a>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The height of an element in pixels. */
function useHeight(element: RefObject<HTMLElement | null>): number {
  const height = useSignal(600);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => {
      height.value = box.clientHeight;
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return height.value;
}

/** The row that the keys act on. It is remembered by its key, so that it stays when rows come above it. */
function useActiveRow<Row>(
  { rows, rowHeight, keyOf, onOpen }: VirtualListProperties<Row>,
  box: RefObject<HTMLElement | null>,
  height: number,
) {
  const key = useSignal<string | null>(null);
  const index = key.value === null ? -1 : rows.findIndex((row) => keyOf(row) === key.value);
  const activate = (wanted: number) => {
    const next = Math.min(Math.max(wanted, 0), rows.length - 1);
    const row = rows[next];
    if (row === undefined || box.current === null) return;
    key.value = keyOf(row);
    const top = next * rowHeight;
    const lowest = top + rowHeight - box.current.clientHeight;
    if (box.current.scrollTop > top) box.current.scrollTop = top;
    else if (box.current.scrollTop < lowest) box.current.scrollTop = lowest;
  };
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const steps = new Map([
    ['ArrowDown', 1],
    ['j', 1],
    ['ArrowUp', -1],
    ['k', -1],
    ['PageDown', page],
    ['PageUp', -page],
  ]);
  const press = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const pressed = readKey(event);
    if (pressed === null) return;
    const step = steps.get(pressed);
    const active = rows[index];
    if (step !== undefined) activate(index + step);
    else if (pressed === 'Home') activate(0);
    else if (pressed === 'End') activate(rows.length - 1);
    else if (pressed === 'Enter' && active !== undefined) onOpen(active);
    else return;
    event.preventDefault();
  };
  return { key: key.value, index, press };
}
