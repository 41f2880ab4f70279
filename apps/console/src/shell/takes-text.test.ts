import { expect, test } from 'vitest';
import { takesText } from './takes-text.ts';

test('leaves keys to fields with a text, and to nothing else', () => {
  for (const type of ['text', 'search', 'email', 'password', 'datetime-local', 'number']) {
    expect(takesText({ tagName: 'INPUT', type }), type).toBe(true);
  }
  expect(takesText({ tagName: 'TEXTAREA', type: 'textarea' })).toBe(true);
  expect(takesText({ tagName: 'SELECT', type: 'select-one' })).toBe(true);
  expect(takesText({ tagName: 'DIV', isContentEditable: true })).toBe(true);
  for (const type of ['checkbox', 'radio']) expect(takesText({ tagName: 'INPUT', type }), type).toBe(false);
  expect(takesText({ tagName: 'A' })).toBe(false);
  expect(takesText({ tagName: 'BUTTON', type: 'submit' })).toBe(false);
});
