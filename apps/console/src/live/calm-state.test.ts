import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCalmState } from './calm-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch() {
  const shown: string[] = [];
  const calm = createCalmState((state) => {
    if (shown.at(-1) !== state) shown.push(state);
  });
  calm.follow('live');
  return { calm, shown };
}

test('stays live over a stream that the service closes and that is open again soon', () => {
  const { calm, shown } = watch();
  for (let time = 1; time <= 3; time += 1) {
    calm.noteInterruption(null);
    calm.follow('stale');
    vi.advanceTimersByTime(5_000);
    calm.follow('live');
  }
  vi.advanceTimersByTime(60_000);
  expect(shown).toEqual(['live']);
});

test('is stale if no stream is open after 6 s', () => {
  const { calm, shown } = watch();
  calm.noteInterruption(null);
  calm.follow('stale');
  vi.advanceTimersByTime(5_999);
  expect(shown).toEqual(['live']);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual(['live', 'stale']);
});

test('is stale at once if the stream breaks, or cannot be opened again', () => {
  const { calm, shown } = watch();
  calm.noteInterruption(new Error('broken'));
  calm.follow('stale');
  expect(shown).toEqual(['live', 'stale']);
  calm.follow('live');
  calm.noteInterruption(null);
  calm.follow('stale');
  calm.noteInterruption(new Error('refused'));
  expect(shown).toEqual(['live', 'stale', 'live', 'stale']);
});

test('is stale at once if the stream is silent', () => {
  const { calm, shown } = watch();
  calm.noteInterruption(null);
  calm.follow('live');
  calm.follow('stale');
  expect(shown).toEqual(['live', 'stale']);
});
