import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findExpiredHooks, listChanges, readValues, shortenValue } from './history.ts';

test('names what each payload changed, from the first one on', () => {
  const payloads = [
    { temperature: 4.6, engine: { on: true } },
    null,
    { temperature: 2.3, battery: 6, engine: { on: true } },
    { battery: 6 },
    { engine: { on: false, errors: ['E1'] }, note: null },
  ];
  expect(listChanges(payloads)).toEqual([
    [
      { path: 'temperature', before: null, after: '4.6' },
      { path: 'engine.on', before: null, after: 'true' },
    ],
    [],
    [
      { path: 'temperature', before: '4.6', after: '2.3' },
      { path: 'battery', before: null, after: '6' },
    ],
    [],
    [
      { path: 'engine.on', before: 'true', after: 'false' },
      { path: 'engine.errors.0', before: null, after: 'E1' },
      { path: 'note', before: null, after: 'null' },
    ],
  ]);
});

test('keeps the digits, and takes deep, empty and unnamed values as one text', () => {
  const payload = parseExactJson(
    '{"id":12345678901234567890,"price":1.0,"tags":[],"a":{"b":{"c":{"d":{"e":{"f":{}}}}}}}',
  );
  expect([...readValues(payload)]).toEqual([
    ['id', '12345678901234567890'],
    ['price', '1.0'],
    ['tags', '[]'],
    ['a.b.c.d.e.f', '{}'],
  ]);
  expect([...readValues('no object')]).toEqual([['', 'no object']]);
  expect([...readValues(JSON.parse('{"__proto__":{"x":1},"constructor":2}'))]).toEqual([
    ['__proto__.x', '1'],
    ['constructor', '2'],
  ]);
});

test('shortens long values, and cuts no letter in two', () => {
  expect(shortenValue('short')).toBe('short');
  expect(shortenValue('x'.repeat(41))).toBe(`${'x'.repeat(39)}…`);
  expect(shortenValue('🦄'.repeat(40))).toBe(`${'🦄'.repeat(39)}…`);
});

test('changes nothing if a payload is repeated, and the changes together are the latest values', () => {
  const payload = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(payload), (payloads) => {
      const changes = listChanges(payloads.flatMap((each) => [each, each]));
      expect(changes.filter((_, index) => index % 2 === 1).flat()).toEqual([]);
      const latest = new Map(payloads.flatMap((each) => [...readValues(each)]));
      expect(new Map(changes.flat().map(({ path, after }) => [path, after]))).toEqual(latest);
      for (const { before, after } of changes.flat()) expect(before).not.toBe(after);
    }),
  );
});

type Entry = number | 'received' | 'dead';

/** The only page of a history. A number is the version that a published hook led to. */
const only = (...entries: Entry[]) => ({ items: entries.map(toItem), page: 1, totalItems: entries.length });
/** The last page, after pages with `before` hooks. */
const last = (before: number, ...entries: Entry[]) => ({
  items: entries.map(toItem),
  page: 2,
  totalItems: before + entries.length,
});

function toItem(entry: Entry) {
  if (typeof entry === 'number') return { state: 'published' as const, effect: { version: entry } };
  return { state: entry, effect: null };
}

describe('findExpiredHooks', () => {
  test('finds nothing while every change since the creation is listed', () => {
    expect(findExpiredHooks(only(), 1)).toBeNull();
    expect(findExpiredHooks(only(3, 2), 3)).toBeNull();
    expect(findExpiredHooks(only(3, 'dead', 2), 3)).toBeNull();
    expect(findExpiredHooks(last(25, 4, 3, 2), 29)).toBeNull();
  });

  test('finds the versions before the oldest listed change', () => {
    expect(findExpiredHooks(only(9, 7, 8), 9)).toEqual({ from: 2, to: 6 });
    expect(findExpiredHooks(only(3), 3)).toEqual({ from: 2, to: 2 });
    expect(findExpiredHooks(last(25, 7, 6, 5), 32)).toEqual({ from: 2, to: 4 });
  });

  test('finds all versions but the first if no change is listed', () => {
    expect(findExpiredHooks(only(), 5)).toEqual({ from: 2, to: 5 });
  });

  test('takes a received hook for one that is applied, and a dead one not', () => {
    expect(findExpiredHooks(only('received'), 2)).toBeNull();
    expect(findExpiredHooks(only('received'), 3)).toEqual({ from: 2, to: 2 });
    expect(findExpiredHooks(only('dead'), 3)).toEqual({ from: 2, to: 3 });
  });

  test('says nothing if the oldest version may be on an earlier page', () => {
    expect(findExpiredHooks(last(25, 'dead'), 26)).toBeNull();
    // It was redriven, so it is the oldest hook and the latest version.
    expect(findExpiredHooks(last(25, 27), 27)).toBeNull();
  });
});
