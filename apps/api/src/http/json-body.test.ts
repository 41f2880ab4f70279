import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json-body.ts';

const nestArrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('returns the same value as JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      const json = JSON.stringify(value);
      fc.pre(!json.includes('__proto__') && !json.includes('\\ud'));
      expect(parseJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

test.each([
  ['32 levels', nestArrays(32)],
  ['brackets in a string', JSON.stringify({ a: '['.repeat(100), 'b"{{': '\\' })],
  ['many objects, none of them nested deeply', `[${'{},'.repeat(100)}{}]`],
  ['an escaped surrogate pair', '"\\ud83e\\udd84"'],
  ['a member named constructor without a prototype', '{"constructor":"builder"}'],
])('accepts %s', (_, json) => {
  expect(parseJson(json)).toEqual(JSON.parse(json));
});

test('accepts member names that refer to a prototype in a free-form body', () => {
  const json = '{"__proto__":{"\\u0070rototype":1}}';
  expect(parseJson(json, { isFreeForm: true })).toEqual(JSON.parse(json));
});

test.each([
  ['33 levels', nestArrays(33)],
  ['100 000 levels, never closed', '['.repeat(100_000)],
  ['33 levels after a string with a quote', `["\\"",${nestArrays(32)}]`],
  ['a lone surrogate', '["\\udc00"]'],
  ['a lone surrogate in a member name', '{"\\ud800":1}'],
  ['__proto__', '[{"__proto__":1}]'],
  ['__proto__, escaped', '[{"\\u005f\\u005fproto__":1}]'],
  ['constructor.prototype', '{"constructor":{"prototype":1}}'],
  ['constructor.prototype, escaped', '{"constructor":{"\\u0070rototype":1}}'],
  ['a trailing comma', '[1,]'],
  ['white space only', ' '],
])('rejects %s', (_, json) => {
  expect(() => parseJson(json)).toThrow(expect.objectContaining({ code: 'invalid-json' }));
});

test('accepts at most 4 096 values, and any number in a free-form body', () => {
  const listValues = (count: number) => `[${'[0],'.repeat(count - 1)}"${','.repeat(5_000)}"]`;
  expect(parseJson(listValues(4_096))).toHaveLength(4_096);
  expect(() => parseJson(listValues(4_097))).toThrow(expect.objectContaining({ code: 'payload-too-large' }));
  expect(parseJson(listValues(10_000), { isFreeForm: true })).toHaveLength(10_000);
});
