import { describe, expect, it as test } from 'vitest';
import { findExpiredHooks } from './expired-hooks.ts';

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

describe('findExpiredHooks', () => {
  test('finds nothing while every change since the creation is listed', () => {
    expect(findExpiredHooks(only(), 1)).toBeNull();
    expect(findExpiredHooks(only(3, 2), 3)).toBeNull();
    expect(findExpiredHooks(only(3, 'dead', 2), 3)).toBeNull();
    expect(findExpiredHooks(last(25, 4, 3, 2), 29)).toBeNull();
  });

  test('finds the versions before the oldest listed change', () => {
    expect(findExpiredHooks(only(9, 7, 8), 9)).toEqual({ from: 2, to: 6 });
    expect(findExpiredHooks(only(3), 3)).toEqual({ from: 2, to: 2 });
    expect(findExpiredHooks(last(25, 7, 6, 5), 32)).toEqual({ from: 2, to: 4 });
  });

  test('finds all versions but the first if no change is listed', () => {
    expect(findExpiredHooks(only(), 5)).toEqual({ from: 2, to: 5 });
  });

  test('takes a received hook for one that is applied, and a dead one not', () => {
    expect(findExpiredHooks(only('received'), 2)).toBeNull();
    expect(findExpiredHooks(only('received'), 3)).toEqual({ from: 2, to: 2 });
    expect(findExpiredHooks(only('dead'), 3)).toEqual({ from: 2, to: 3 });
  });

  test('says nothing if the oldest version may be on an earlier page', () => {
    expect(findExpiredHooks(last(25, 'dead'), 26)).toBeNull();
    // It was redriven, so it is the oldest hook and the latest version.
    expect(findExpiredHooks(last(25, 27), 27)).toBeNull();
  });
});
