import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json-body.ts';

test('returns the same value as JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
      const json = JSON.stringify(value);
      fc.pre(!json.includes('__proto__') && !json.includes('\\ud'));
      expect(parseJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

test('accepts at most 4 096 values, and any number in a free-form body', () => {
  const listValues = (count: number) => `[${'[0],'.repeat(count - 1)}"${','.repeat(5_000)}"]`;
  expect(parseJson(listValues(4_096))).toHaveLength(4_096);
  expect(() => parseJson(listValues(4_097))).toThrow(expect.objectContaining({ code: 'payload-too-large' }));
  expect(parseJson(listValues(10_000), { isFreeForm: true })).toHaveLength(10_000);
});
