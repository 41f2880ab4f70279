import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { displayText } from './text.ts';

/** Spaces that are trimmed, that are control characters, that are neither, and a character of two units. */
const units = [
  'a',
  '\t',
  '\n',
  ' ',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u{e0041}',
  '😀',
];
const joinerOrSelector = /[\u180b-\u180f\ufe00-\ufe02\ufe0e\ufe0f\u{e0100}-\u{e01ef}]|\u200c|\u200d/u;
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...units), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '😀', ' '), maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

describe('the described pattern of a text for people', () => {
  test.each([
    [1, 1],
    [1, 4],
    [2, 4],
    [3, 3],
  ])('accepts exactly what the service accepts, with %i to %i characters', (min, max) => {
    const schema = displayText(min, max);
    const pattern = readPattern(schema);
    fc.assert(
      fc.property(text, (value) => {
        const isAccepted = schema.safeParse(value).success;
        // Whether a text needs a joiner or a selector, the pattern cannot say: it lets them pass.
        if (isAccepted || !joinerOrSelector.test(value)) expect(pattern.test(value)).toBe(isAccepted);
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([198, 199, 200, 201, 202])('has the same bound for a text of %i characters', (length) => {
    const schema = displayText(1, 200);
    for (const value of ['a'.repeat(length), '😀'.repeat(length), ` ${'a'.repeat(length)}\n`]) {
      expect(readPattern(schema).test(value)).toBe(schema.safeParse(value).success);
    }
  });

  test('is the only bound of the length: spaces that are trimmed do not count', () => {
    const described = z.toJSONSchema(displayText(1, 200), { io: 'input' });
    expect(displayText(1, 200).safeParse(`${' '.repeat(300)}a`).success).toBe(true);
    expect(described.maxLength).toBeUndefined();
  });
});

function readPattern(schema: z.ZodType): RegExp {
  const { pattern } = z.toJSONSchema(schema, { io: 'input' });
  if (pattern === undefined) throw new Error('the schema has no pattern');
  return new RegExp(pattern, 'u');
}
