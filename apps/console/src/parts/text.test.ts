import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText, generatePassword, isUuid, lookUp, quoteText } from './text.ts';

test.each([
  ['Müller', 'MÜLLER'],
  ['Müller', 'Mu\u0308ller'],
  ['각', '\u1100\u1161\u11a8'],
  ['İstanbul', 'istanbul'],
  ['Straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδός'.normalize('NFD').replace('\u0301', '')],
  ['ﬁlter', 'Filter'],
  ['Ｌａｍｐ', 'lamp'],
])('%s and %s are the same to a search', (one, other) => expect(foldText(one)).toBe(foldText(other)));

test('Muller is not Müller', () => expect(foldText('Muller')).not.toBe(foldText('Müller')));

test('a text folds to the same in every normal form, and folding it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'), (text, form) => {
      expect(foldText(text.normalize(form))).toBe(foldText(text));
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
  );
});

test.each([
  ['b9dce296-9105-8818-a22e-aee490c1c421', true],
  ['B9DCE296-9105-8818-A22E-AEE490C1C421', true],
  ['msg_partner_4711', false],
  ['b9dce296-9105-8818-a22e-aee490c1c42', false],
  ['', false],
])('%s may be an event id: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

const names: Readonly<Record<string, string>> = { updated: 'Updated' };

test('finds a text by its key', () => {
  expect(lookUp(names, 'updated')).toBe('Updated');
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', ''])(
  'finds nothing for %j, which every object inherits or nobody has written',
  (key) => {
    expect(lookUp(names, key)).toBeUndefined();
  },
);

test.each([
  ['{"größe": 1} 🦄', '"{\\"größe\\": 1} 🦄"'],
  ['two\nlines\u001b[2J', '"two\\nlines\\u001b[2J"'],
  ['a\u202eb\u2028c\u0085d\u200be\u{e0041}', '"a\\u202eb\\u2028c\\u0085d\\u200be\\udb40\\udc41"'],
  ['<script>', '"<script>"'],
  ['', '""'],
])('shows every character of %j', (text, shown) => {
  expect(quoteText(text)).toBe(shown);
  expect(JSON.parse(shown)).toBe(text);
});

test('shows the beginning of a long text', () => {
  expect(quoteText('x'.repeat(100_000))).toHaveLength(20_002);
});

test('makes five groups of characters that cannot be confused, different each time', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  for (const password of passwords) expect(password).toMatch(/^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){4}$/);
  expect(new Set(passwords).size).toBe(200);
  // Every character occurs: a fair choice misses one of 31 among 4,000 with a probability below 10^-50.
  expect(new Set(passwords.join('').replaceAll('-', '')).size).toBe(31);
});
