import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { expect, test } from 'vitest';
import { parsePayload } from './parse-payload.ts';

test('keeps every digit of a payload', () => {
  const text = '{"id":12345678901234567890,"price":1.0}';
  expect(formatExactJson(parsePayload(text))).toBe(text);
});

test('a byte order mark of an editor does no harm', () => {
  expect(parsePayload('\uFEFF{"lux":300}')).toEqual({ lux: 300 });
});

test.each(['', '[]', '5', '1.0', 'null', '"a"', '{', "{'a':1}"])('%j is no payload', (text) => {
  expect(parsePayload(text)).toBeNull();
});
