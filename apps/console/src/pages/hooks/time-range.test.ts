import { expect, test } from 'vitest';
import { toTimeSpan } from './time-range.ts';

const nowMs = Date.parse('2026-03-08T10:00:00Z');
const times = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };

test('counts a range back from now', () => {
  const none = { from: null, to: null };
  expect(toTimeSpan({ range: 'hour', ...none }, nowMs)).toEqual({ from: '2026-03-08T09:00:00.000Z', to: null });
  expect(toTimeSpan({ range: 'day', ...none }, nowMs)).toEqual({ from: '2026-03-07T10:00:00.000Z', to: null });
  expect(toTimeSpan({ range: 'week', ...none }, nowMs)).toEqual({ from: '2026-03-01T10:00:00.000Z', to: null });
});

test('uses the times of the person only for a custom range', () => {
  expect(toTimeSpan({ range: 'custom', ...times }, nowMs)).toEqual(times);
  expect(toTimeSpan({ range: 'any', ...times }, nowMs)).toEqual({ from: null, to: null });
});
