import { expect, test } from 'vitest';
import { escapeControls, escapeControlsInLines } from './printable-text.ts';

const nasty = 'a\u0000\u001b[2J\u007f\u009b2J\u009d0;x\u0085\u2028\u2029\u202e\u2066\u200f\u061cz';

test('escapes controls, line separators and the controls of the writing direction', () => {
  expect(escapeControls(nasty)).toBe(
    'a\\u0000\\u001b[2J\\u007f\\u009b2J\\u009d0;x\\u0085\\u2028\\u2029\\u202e\\u2066\\u200f\\u061cz',
  );
  expect(escapeControls('a\nb')).toBe('a\\u000ab');
});

test('keeps line feeds in a text of several lines, and every other text as it is', () => {
  expect(escapeControlsInLines('a\nb\u009bc\n')).toBe('a\nb\\u009bc\n');
  for (const text of ['', 'plain', 'Grüße, 日本 👍 "quoted" \\n']) expect(escapeControls(text)).toBe(text);
});

test('keeps the values of a JSON text equal', () => {
  expect(JSON.parse(escapeControls(JSON.stringify({ nasty, [nasty]: [nasty] })))).toEqual({ nasty, [nasty]: [nasty] });
});
