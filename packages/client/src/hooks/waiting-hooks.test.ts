import { expect, test } from 'vitest';
import { WaitingHooks } from './waiting-hooks.ts';

const hook = (widgetId: string | null, number: number) => ({ widgetId, number });

function fill(...hooks: [string | null, number][]) {
  const waiting = new WaitingHooks<ReturnType<typeof hook>>();
  for (const [widgetId, number] of hooks) waiting.push(hook(widgetId, number));
  return waiting;
}

test('gives out one hook of each widget, and the next one after that was released', () => {
  const waiting = fill(['a', 1], ['a', 2], ['b', 3], ['a', 4]);
  const first = waiting.take();
  expect([first?.number, waiting.take()?.number, waiting.take()]).toEqual([1, 3, undefined]);
  waiting.release(hook('a', 1));
  expect([waiting.take()?.number, waiting.take()]).toEqual([2, undefined]);
  waiting.push(hook('a', 5));
  waiting.release(hook('a', 2));
  waiting.release(hook('a', 4));
  expect([waiting.take()?.number, waiting.take()?.number]).toEqual([4, 5]);
  expect(waiting.size).toBe(0);
});

test('gives out a hook of a widget at once when no other one of it waits or is sent', () => {
  const waiting = fill(['a', 1]);
  waiting.take();
  waiting.release(hook('a', 1));
  waiting.push(hook('a', 2));
  expect(waiting.take()?.number).toBe(2);
});

test('hooks without a widget do not wait for each other', () => {
  const waiting = fill([null, 1], [null, 2]);
  expect([waiting.take()?.number, waiting.take()?.number]).toEqual([1, 2]);
});

test('clears everything that waits', () => {
  const waiting = fill(['a', 1], ['a', 2], ['b', 3]);
  waiting.take();
  expect(
    waiting
      .clear()
      .map(({ number }) => number)
      .toSorted(),
  ).toEqual([2, 3]);
  expect([waiting.size, waiting.take()]).toEqual([0, undefined]);
});
