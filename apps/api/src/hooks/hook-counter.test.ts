import type { HookCounts } from '@widget-service/shared/ports/hook-count-store.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HookCounter } from './hook-counter.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T10:59:45.000Z') }));
afterEach(() => void vi.useRealTimers());

const hour = (hours: number) => new Date(Date.UTC(2026, 2, 1, hours));

function openCounter() {
  const written: (readonly HookCounts[])[] = [];
  const logged: string[] = [];
  const store = { isAvailable: true };
  const log = (_: object, message: string) => void logged.push(message);
  const counter = new HookCounter({
    hookCounts: {
      add: async (counts) => {
        if (!store.isAvailable) throw new Error('the store is away');
        written.push(counts);
      },
    },
    clock: systemClock,
    logger: { warn: log, info: log } as never,
  });
  return { counter, written, logged, store };
}

test('writes the counts of 10 s at once, and nothing when no hook came', async () => {
  const { counter, written } = openCounter();
  for (let count = 0; count < 3; count += 1) counter.count('A', 'accepted');
  counter.count('A', 'refused');
  counter.count('B', 'refused');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([
    [
      { integrationId: 'A', hour: hour(10), accepted: 3, refused: 1 },
      { integrationId: 'B', hour: hour(10), accepted: 0, refused: 1 },
    ],
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(1);
  counter.count('A', 'accepted');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written[1]).toEqual([{ integrationId: 'A', hour: hour(11), accepted: 1, refused: 0 }]);
});

test('keeps the counts of each hour while the store is away, and forgets those that no store keeps', async () => {
  const { counter, written, logged, store } = openCounter();
  store.isAvailable = false;
  counter.count('A', 'accepted');
  await vi.advanceTimersByTimeAsync(10_000);
  counter.count('A', 'accepted');
  await vi.advanceTimersByTimeAsync(10_000);
  counter.count('A', 'refused');
  store.isAvailable = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([
    [
      { integrationId: 'A', hour: hour(10), accepted: 1, refused: 0 },
      { integrationId: 'A', hour: hour(11), accepted: 1, refused: 1 },
    ],
  ]);
  expect(logged).toEqual(['hook_counts.not_stored', 'hook_counts.stored']);

  store.isAvailable = false;
  counter.count('A', 'accepted');
  await vi.advanceTimersByTimeAsync(26 * 3_600_000);
  store.isAvailable = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(written).toHaveLength(1);
});

test('writes what waits when it closes', async () => {
  const { counter, written } = openCounter();
  counter.count('A', 'accepted');
  await counter.close();
  expect(written).toEqual([[{ integrationId: 'A', hour: hour(10), accepted: 1, refused: 0 }]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(1);
});

test('a store that hangs does not hold up closing for more than 2 s', async () => {
  const { counter } = openCounter();
  const hanging = new HookCounter({
    hookCounts: { add: () => new Promise(() => undefined) },
    clock: systemClock,
    logger: { warn: () => undefined, info: () => undefined } as never,
  });
  hanging.count('A', 'accepted');
  const closed = hanging.close();
  await vi.advanceTimersByTimeAsync(2_100);
  await closed;
  await counter.close();
});
