import { expect, test } from 'vitest';
import { quoteText } from './quote-text.ts';

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
