import { describe, expect, test } from 'vitest';
import type { QueueItem } from '../domain/queue-item.ts';
import { type Chunk, decideNextStep, type RunOutcome, splitInHalf, toFirstChunks } from './dead-letters.ts';

const buildItems = (count: number): QueueItem[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'nudge', widgetId: `widget-${index}` }));
const aChunk = (itemCount: number, attemptsLeft: number): Chunk => ({ items: buildItems(itemCount), attemptsLeft });

describe('decideNextStep', () => {
  test.each<[RunOutcome, number, number, string]>([
    ['published', 5, 1, 'done'],
    ['unavailable', 1, 1, 'retry'],
    ['superseded', 1, 1, 'retry'],
    ['unstorable', 5, 5, 'halve'],
    ['unstorable', 2, 5, 'halve'],
    ['unstorable', 1, 3, 'dead-letter'],
    ['not-applied', 5, 2, 'retry-counted'],
    ['not-applied', 5, 1, 'halve'],
    ['not-applied', 1, 2, 'retry-counted'],
    ['not-applied', 1, 1, 'dead-letter'],
    ['failed', 5, 2, 'retry-counted'],
    ['failed', 5, 1, 'halve'],
    ['failed', 2, 1, 'halve'],
    ['failed', 1, 1, 'retry'],
  ])('%s, with %i items and %i attempts left: %s', (outcome, itemCount, attemptsLeft, expected) => {
    expect(decideNextStep(outcome, aChunk(itemCount, attemptsLeft))).toBe(expected);
  });
});

describe('toFirstChunks', () => {
  const aBatch = (itemCount: number, startCount: number) => ({
    jobId: 'job',
    partition: 0,
    items: buildItems(itemCount),
    unreadable: [],
    startCount,
    signal: new AbortController().signal,
  });

  test('returns the whole batch for the first five starts of its job, and single items from then on', () => {
    expect(toFirstChunks(aBatch(4, 5)).map(({ items }) => items.length)).toEqual([4]);
    expect(toFirstChunks(aBatch(4, 6)).map(({ items }) => items.length)).toEqual([1, 1, 1, 1]);
  });

  test('returns no chunk for a batch without items', () => {
    expect(toFirstChunks(aBatch(0, 1))).toEqual([]);
  });
});

describe('splitInHalf', () => {
  test('keeps the order of the items, and gives a single item more attempts than a larger half', () => {
    const chunk = aChunk(3, 1);
    const halves = splitInHalf(chunk);
    expect(halves.flatMap(({ items }) => items)).toEqual(chunk.items);
    expect(halves.map(({ items, attemptsLeft }) => [items.length, attemptsLeft])).toEqual([
      [2, 1],
      [1, 3],
    ]);
  });
});
