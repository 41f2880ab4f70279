import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPosition, isContiguous, type LogPosition, parsePosition, positionBefore } from './log-position.ts';

describe('positions', () => {
  it('come back from their text as they were', () => {
    const anyPosition = fc.record({
      epoch: fc.stringMatching(/^[0-9a-z]{1,16}$/),
      ms: fc.nat(),
      seq: fc.nat(),
    });
    fc.assert(
      fc.property(anyPosition, (position) => {
        expect(parsePosition(formatPosition(position))).toEqual(position);
      }),
    );
  });

  it.each([
    '',
    'k3f9',
    'k3f9.1',
    'k3f9.1.2.3',
    'K.1.2',
    'k.-1.2',
    'k.01.2',
    'k.1.2 ',
    'k.1e3.2',
    'k.99999999999999999.1',
  ])('are not read from %j', (text) => expect(parsePosition(text)).toBeNull());
});

describe('events', () => {
  const at = (seq: number, ms: number): LogPosition => ({ epoch: 'e', ms, seq });
  const event = (seq: number, ms: number, previousMs: number | null, epoch = 'e') => ({ epoch, ms, seq, previousMs });

  it.each([
    ['by number and time', [event(6, 20, 10), event(7, 20, 20), event(8, 31, 20)], true],
    ['by number alone, where the time was not noted', [event(6, 20, null), event(7, 21, 20)], true],
    ['always, when there are none', [], true],
    ['not after a hole', [event(6, 20, 10), event(8, 31, 20)], false],
    ['not after another event of the same number', [event(6, 20, 9)], false],
    ['not where one follows another event of the same number', [event(6, 20, 10), event(7, 30, 21)], false],
    ['not in another epoch', [event(6, 20, 10, 'f')], false],
  ])('continue a position %s', (_, events, expected) => {
    expect(isContiguous(at(5, 10), events)).toBe(expected);
  });

  it('tell the position before them', () => {
    expect(positionBefore(event(6, 20, 10))).toEqual(at(5, 10));
    expect(positionBefore(event(6, 20, null))).toEqual(at(5, 20));
  });
});
