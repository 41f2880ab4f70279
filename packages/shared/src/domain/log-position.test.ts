import { expect, test } from 'vitest';
import { isContiguous, type LogPosition, positionBefore } from './log-position.ts';

const at = (seq: number, ms: number): LogPosition => ({ epoch: 'e', ms, seq });
const event = (seq: number, ms: number, previousMs: number | null, epoch = 'e') => ({ epoch, ms, seq, previousMs });

test.each([
  ['true for events that continue number and time', [event(6, 20, 10), event(7, 20, 20), event(8, 31, 20)], true],
  ['true if the first event continues the number and has no previousMs', [event(6, 20, null), event(7, 21, 20)], true],
  ['true for no events', [], true],
  ['false after a hole', [event(6, 20, 10), event(8, 31, 20)], false],
  ['false if previousMs of the first event is not the time of the position', [event(6, 20, 9)], false],
  [
    'false if previousMs of a later event is not the time of its predecessor',
    [event(6, 20, 10), event(7, 30, 21)],
    false,
  ],
  ['false for another epoch', [event(6, 20, 10, 'f')], false],
])('isContiguous returns %s', (_, events, expected) => {
  expect(isContiguous(at(5, 10), events)).toBe(expected);
});

test('positionBefore returns the position that the event was appended after; its own ms if previousMs is null', () => {
  expect(positionBefore(event(6, 20, 10))).toEqual(at(5, 10));
  expect(positionBefore(event(6, 20, null))).toEqual(at(5, 20));
});
