import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeMatcher, parseSearch, toLabelSearch } from './search-words.ts';

const lamp = {
  id: '0195c0de-f00d',
  name: 'Lamp (hall)',
  labels: ['Cold', 'first floor', 'say "hi"', '19" rack', 'C:\\"x"'],
};
const finds = (text: string) => makeMatcher(parseSearch(text))(lamp);

test('reads words and labels', () => {
  expect(parseSearch(' lamp label:cold LABEL:"first floor" ')).toEqual({
    words: ['lamp'],
    labels: [
      { text: 'cold', isWhole: false },
      { text: 'first floor', isWhole: true },
    ],
  });
  expect(parseSearch('  ')).toEqual({ words: [], labels: [] });
});

test('finds every word in the name, a label or the id, in any case', () => {
  for (const text of ['', 'LAMP', '(hall', 'floor 0195C', 'de-f00d', 'cold lamp']) expect(finds(text), text).toBe(true);
  for (const text of ['lamp door', 'lamp.', '^lamp', 'f00d']) expect(finds(text), text).toBe(false);
});

test('finds a name in any normal form', () => {
  for (const name of ['Mu\u0308ller', 'Müller'])
    for (const text of ['müller', 'MU\u0308LLER']) expect(makeMatcher(parseSearch(text))({ ...lamp, name })).toBe(true);
});

test('finds a label by its beginning, or as a whole if it is quoted', () => {
  for (const text of ['label:co', 'label:"COLD"', 'lamp label:first', 'label:say', 'label:"say \\"hi\\""'])
    expect(finds(text), text).toBe(true);
  for (const text of ['label:old', 'label:"co"', 'label:lamp', 'label:"cold" door'])
    expect(finds(text), text).toBe(false);
  for (const label of lamp.labels) expect(finds(toLabelSearch(label)), label).toBe(true);
});

test('finds exactly the widgets with a label by the search for it, whatever the label contains', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: fc.constantFrom('"', '\\', ' ', 'a', ':', '\n', 'label:') }),
      (label) => {
        expect(parseSearch(`x ${toLabelSearch(label)} y`)).toEqual({
          words: ['x', 'y'],
          labels: [{ text: label, isWhole: true }],
        });
      },
    ),
  );
});
