import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPosition, parsePosition } from './sse-id.ts';

describe('parsePosition', () => {
  test('parses what formatPosition writes', () => {
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

  test.each([
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
  ])('returns null for %j', (text) => expect(parsePosition(text)).toBeNull());
});
