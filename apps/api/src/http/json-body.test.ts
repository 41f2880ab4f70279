import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json-body.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('takes what JSON.parse takes, and gives the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      const json = JSON.stringify(value);
      fc.pre(!json.includes('__proto__') && !json.includes('\\ud'));
      expect(parseJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

test.each([
  ['32 levels', nested(32)],
  ['brackets in a string', JSON.stringify({ a: '['.repeat(100), 'b"{{': '\\' })],
  ['many objects, none deep', `[${'{},'.repeat(100)}{}]`],
  ['an escaped pair of surrogates', '"\\ud83e\\udd84"'],
  ['constructor alone', '{"constructor":"builder"}'],
])('takes %s', (_, json) => {
  expect(parseJson(json)).toEqual(JSON.parse(json));
});

test('takes names that reach a prototype where they are only carried', () => {
  const json = '{"__proto__":{"\\u0070rototype":1}}';
  expect(parseJson(json, { isFreeForm: true })).toEqual(JSON.parse(json));
});

test.each([
  ['33 levels', nested(33)],
  ['100 000 levels, never closed', '['.repeat(100_000)],
  ['33 levels after a string with a quote', `["\\"",${nested(32)}]`],
  ['a lone surrogate', '["\\udc00"]'],
  ['a lone surrogate in a name', '{"\\ud800":1}'],
  ['__proto__', '[{"__proto__":1}]'],
  ['__proto__, escaped', '[{"\\u005f\\u005fproto__":1}]'],
  ['constructor.prototype', '{"constructor":{"prototype":1}}'],
  ['constructor.prototype, escaped', '{"constructor":{"\\u0070rototype":1}}'],
  ['a trailing comma', '[1,]'],
  ['nothing', ' '],
])('refuses %s', (_, json) => {
  expect(() => parseJson(json)).toThrow(expect.objectContaining({ code: 'invalid-json' }));
});

test('takes 4 096 values and not one more, but any number where they are only carried', () => {
  const values = (count: number) => `[${'[0],'.repeat(count - 1)}"${','.repeat(5_000)}"]`;
  expect(parseJson(values(4_096))).toHaveLength(4_096);
  expect(() => parseJson(values(4_097))).toThrow(expect.objectContaining({ code: 'payload-too-large' }));
  expect(parseJson(values(10_000), { isFreeForm: true })).toHaveLength(10_000);
});
