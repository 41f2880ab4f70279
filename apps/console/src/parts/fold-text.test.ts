import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

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
