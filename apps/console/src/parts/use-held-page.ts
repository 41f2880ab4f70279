import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { countNewRows, renewRows } from './new-rows.ts';

interface Rows<Row> {
  readonly items: readonly Row[];
}

interface HeldPage<Data> {
  /** What the page shows. */
  readonly data: ReadonlySignal<Data | null>;
  /** How many new rows wait at the top. */
  readonly waiting: number;
  /** Shows the new rows. */
  readonly release: () => void;
  /** Shows the next answer as it is: the person has asked for it. */
  readonly expectChange: () => void;
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: () => void;
}

/**
 * Keeps the rows of a list in their places while a person points at it or has scrolled down, or `isAlwaysHeld`. Changed
 * rows change in their places. Without `keyOf`, nothing is held.
 */
export function useHeldPage<Row, Data extends Rows<Row>>(
  latest: ReadonlySignal<Data | null>,
  keyOf: ((row: Row) => string) | undefined,
  isAlwaysHeld: boolean,
): HeldPage<Data> {
  const shown = useSignal<Data | null>(null);
  const isPointed = useRef(false);
  const isExpected = useRef(false);
  const isHeld = useRef<() => boolean>(() => false);
  isHeld.current = () => !isExpected.current && (isPointed.current || isAlwaysHeld || window.scrollY > 0);
  // At once, so that nobody sees the rows of another page.
  useSignalEffect(() => {
    const next = latest.value;
    const before = shown.peek();
    if (next !== null && before !== null && before.items.length > 0 && keyOf !== undefined && isHeld.current()) {
      shown.value = { ...next, items: renewRows(before.items, next.items, keyOf) };
      return;
    }
    if (next !== null) isExpected.current = false;
    shown.value = next;
  });
  const release = () => {
    shown.value = latest.peek();
  };
  const isBehind = keyOf !== undefined && shown.value !== null && latest.value !== null;
  return {
    data: shown,
    waiting: isBehind ? countNewRows(shown.value?.items ?? [], latest.value?.items ?? [], keyOf) : 0,
    release,
    expectChange: () => {
      isExpected.current = true;
    },
    onPointerEnter: () => {
      isPointed.current = true;
    },
    onPointerLeave: () => {
      isPointed.current = false;
      if (!isHeld.current()) release();
    },
  };
}
