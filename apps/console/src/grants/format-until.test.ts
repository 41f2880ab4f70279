import { expect, test } from 'vitest';
import { formatUntil } from './format-until.ts';

const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime();

test('names the time, and says if it is tomorrow', () => {
  expect(formatUntil(at(21, 14, 5), at(21, 9, 0))).toBe('14:05');
  expect(formatUntil(at(22, 9, 0), at(21, 14, 5))).toBe('tomorrow 09:00');
});
