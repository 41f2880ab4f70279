import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatExactJson, parseExactJson, parseExactObject } from './exact-json.ts';

test.each([
  '12345678901234567890',
  '-12345678901234567890.5',
  '0.1000',
  '1.0',
  '-0',
  '1e400',
  '1E5',
  '3.14159265358979323846',
])('%s keeps every digit', (number) => {
  const json = `{"a":[${number}],"b":{"c":${number}}}`;
  expect(formatExactJson(parseExactJson(json))).toBe(json);
});

test('a number that JavaScript writes in the same way is a number', () => {
  expect(parseExactJson('[1,-7.5,0,9007199254740991]')).toEqual([1, -7.5, 0, 9_007_199_254_740_991]);
});

test('the digits of a longer number can be read, and it can be compared', () => {
  const { id } = parseExactJson('{"id":12345678901234567890}') as { id: object };
  expect(String(id)).toBe('12345678901234567890');
  expect(BigInt(String(id))).toBe(12_345_678_901_234_567_890n);
  expect(Number(id)).toBeGreaterThan(1e19);
});

test('a bigint is written as a number, and levels can be indented', () => {
  expect(formatExactJson({ a: 12_345_678_901_234_567_890n }, 2)).toBe('{\n  "a": 12345678901234567890\n}');
});

test('a byte order mark at the start is left out', () => {
  expect(parseExactJson('\uFEFF{"a":"\uFEFF"}')).toEqual({ a: '\uFEFF' });
});

test('texts that look like numbers stay texts, wherever they are', () => {
  const json = String.raw`{"1.0":"1.0","a\"1.0":["\",1.0",2.50],"\u0031.0":"1.0\\"}`;
  expect(parseExactJson(json)).toEqual({ ...JSON.parse(json), 'a"1.0': ['",1.0', expect.anything()] });
  expect(JSON.parse(formatExactJson(parseExactJson(json)))).toEqual(JSON.parse(json));
});

test('reads and writes every JSON as JSON.parse and JSON.stringify do', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(3), (json, indent) => {
      const exact = parseExactJson(json);
      expect(JSON.parse(formatExactJson(exact, indent))).toEqual(JSON.parse(json));
    }),
  );
});

test('JSON.stringify keeps the digits as well', () => {
  expect(JSON.stringify(parseExactJson('[12345678901234567890,1.0]'))).toBe('[12345678901234567890,1.0]');
});

test.each(['', '{', '{"a":01}', 'undefined', '\uFEFF'])('%j is not JSON', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('a member named __proto__ is a member like every other', () => {
  const parsed = parseExactJson('{"__proto__":{"admin":true}}') as { admin?: boolean };
  expect(parsed.admin).toBeUndefined();
  expect(formatExactJson(parsed)).toBe('{"__proto__":{"admin":true}}');
});

test('an object keeps every digit, also behind the byte order mark of an editor', () => {
  const text = '{"id":12345678901234567890,"price":1.0}';
  expect(formatExactJson(parseExactObject(text))).toBe(text);
  expect(parseExactObject('\uFEFF{"lux":300}')).toEqual({ lux: 300 });
});

test.each(['', '[]', '5', '1.0', 'null', '"a"', '{', "{'a':1}"])('%j is not an object', (text) => {
  expect(parseExactObject(text)).toBeNull();
});
