import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { expect, test } from 'vitest';
import { parsePayload, quoteText } from './hook-text.ts';

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
