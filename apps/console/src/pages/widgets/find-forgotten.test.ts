import { describe, expect, test } from 'vitest';
import { findForgotten } from './find-forgotten.ts';

type Entry = number | 'received' | 'dead';

/** The only page of a history. A number is the version that a published hook led to. */
const only = (...entries: Entry[]) => ({ items: entries.map(toItem), page: 1, totalItems: entries.length });
/** The last page, after pages with `before` hooks. */
const last = (before: number, ...entries: Entry[]) => ({
  items: entries.map(toItem),
  page: 2,
  totalItems: before + entries.length,
});

function toItem(entry: Entry) {
  if (typeof entry === 'number') return { state: 'published' as const, effect: { version: entry } };
  return { state: entry, effect: null };
}

describe('findForgotten', () => {
  test('finds nothing while every change since the creation is listed', () => {
    expect(findForgotten(only(), 1)).toBeNull();
    expect(findForgotten(only(3, 2), 3)).toBeNull();
    expect(findForgotten(only(3, 'dead', 2), 3)).toBeNull();
    expect(findForgotten(last(25, 4, 3, 2), 29)).toBeNull();
  });

  test('finds the versions before the oldest listed change', () => {
    expect(findForgotten(only(9, 7, 8), 9)).toEqual({ from: 2, to: 6 });
    expect(findForgotten(only(3), 3)).toEqual({ from: 2, to: 2 });
    expect(findForgotten(last(25, 7, 6, 5), 32)).toEqual({ from: 2, to: 4 });
  });

  test('finds all versions but the first if no change is listed', () => {
    expect(findForgotten(only(), 5)).toEqual({ from: 2, to: 5 });
  });

  test('takes a received hook for one that is applied, and a dead one not', () => {
    expect(findForgotten(only('received'), 2)).toBeNull();
    expect(findForgotten(only('received'), 3)).toEqual({ from: 2, to: 2 });
    expect(findForgotten(only('dead'), 3)).toEqual({ from: 2, to: 3 });
  });

  test('says nothing if the oldest version may be on an earlier page', () => {
    expect(findForgotten(last(25, 'dead'), 26)).toBeNull();
    // It was redriven, so it is the oldest hook and the latest version.
    expect(findForgotten(last(25, 27), 27)).toBeNull();
  });
});
