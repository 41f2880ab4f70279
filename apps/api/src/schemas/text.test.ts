import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { alwaysHidden, displayText, findHiddenCharacter } from './text.ts';

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

const toName = (codePoint: number) => `U+${codePoint.toString(16)}`;

describe('findHiddenCharacter', () => {
  test.each([
    ['a Persian word with a non-joiner', 'می\u200cخواهم'],
    ['a Hindi word with a non-joiner', 'क्\u200cष'],
    ['a Hindi word with a joiner', 'क्\u200dष'],
    ['a Sinhala word with a joiner', 'ශ්\u200dරී ලංකා'],
    ['a Malayalam word that ends with a joiner', 'അവന്\u200d വന്നു'],
    ['a Bengali word with a joiner before a mark', 'র\u200d্যাব'],
    ['a family', '👨\u200d👩\u200d👧\u200d👦'],
    ['a person with a colour of skin and a profession', '👩🏽\u200d⚕\ufe0f'],
    ['a flag with a joiner', '🏳\ufe0f\u200d🌈'],
    ['a red heart', '❤\ufe0f'],
    ['an arrow as text', '↔\ufe0e'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['a flag of two letters', '🇩🇪'],
    ['a Japanese name with a variant', '葛\u{e0100}城'],
    ['a Mongolian word with a variant', 'ᠪᠠᠢᠭᠠᠯ\u180b'],
    ['combined marks', 'e\u0301'],
    ['Hebrew and Arabic letters', 'שלום مرحبا'],
    ['spaces of several widths', 'a\u00a0b\u2009c\u3000d'],
  ])('accepts %s', (_, text) => {
    expect(findHiddenCharacter(text)).toBeNull();
  });

  test.each([
    ['a joiner between Latin letters', 'ad\u200dmin', '\u200d'],
    ['a non-joiner between Latin letters', 'ad\u200cmin', '\u200c'],
    ['a non-joiner behind the last Persian letter', 'خواهم\u200c', '\u200c'],
    ['two joiners', 'می\u200c\u200cخواهم', '\u200c'],
    ['a joiner behind an emoji', '👨\u200d', '\u200d'],
    ['a joiner before a letter', '👨\u200da', '\u200d'],
    ['a selector behind a letter', 'a\ufe0f', '\ufe0f'],
    ['a selector behind a digit that is no keycap', '1\ufe0f2', '\ufe0f'],
    ['two selectors', '❤\ufe0f\ufe0f', '\ufe0f'],
    ['a variant of a Latin letter', 'a\u{e0100}', '\u{e0100}'],
    ['a Mongolian selector behind a Latin letter', 'a\u180b', '\u180b'],
    ['letters as tags, which only a machine reads', '🏴\u{e0067}\u{e007f}', '\u{e0067}'],
    ['a lone surrogate', 'a\ud800b', '\ud800'],
    ['a control character', 'a\u0007b', '\u0007'],
  ])('refuses %s', (_, text, hidden) => {
    expect(findHiddenCharacter(text)).toBe(hidden);
  });

  test('refuses every control of direction, filler and invisible character between letters', () => {
    const listed = [
      ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029],
      ...[
        0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069,
      ],
      ...[0x2800, 0x3164, 0xfe00, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xe0000, 0xe0001, 0xe0020, 0xe007f, 0x85, 0x1b, 0],
    ];
    const accepted = listed.filter(
      (codePoint) => findHiddenCharacter(`ad${String.fromCodePoint(codePoint)}min`) === null,
    );
    expect(accepted.map(toName)).toEqual([]);
  });
});

test('describes as always hidden exactly the characters that no text needs', () => {
  const described = new RegExp(`[${alwaysHidden}]`, 'u');
  const needed = /[\u180b-\u180f\ufe00-\ufe02\ufe0e\ufe0f\u{e0100}-\u{e01ef}]|\u200c|\u200d/u;
  const wrong: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const character = String.fromCodePoint(codePoint);
    const isHidden = findHiddenCharacter(character) !== null && !needed.test(character);
    if (isHidden !== described.test(character)) wrong.push(toName(codePoint));
  }
  expect(wrong).toEqual([]);
});
