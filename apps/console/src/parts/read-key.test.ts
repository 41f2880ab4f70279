import { describe, expect, test } from 'vitest';
import { isCommand, isComposing, isSign } from './read-key.ts';

interface Pressed {
  readonly code?: string;
  readonly keyCode?: number;
  readonly isComposing?: boolean;
  readonly modifiers?: readonly ('Shift' | 'Control' | 'Alt' | 'Meta' | 'AltGraph')[];
}

/** As the browser's event. */
function press(key: string, { code = '', keyCode = 0, isComposing = false, modifiers = [] }: Pressed = {}) {
  return {
    key,
    code,
    keyCode,
    isComposing,
    ctrlKey: modifiers.includes('Control'),
    altKey: modifiers.includes('Alt'),
    metaKey: modifiers.includes('Meta'),
    getModifierState: (name: string) => (modifiers as readonly string[]).includes(name),
  };
}

test('a sign is a shortcut alone or with Shift, and never with another modifier or for an input method', () => {
  expect(isSign(press('/'), '/')).toBe(true);
  expect(isSign(press('/', { modifiers: ['Shift'] }), '/')).toBe(true);
  expect(isSign(press('7'), '/')).toBe(false);
  for (const modifier of ['Control', 'Alt', 'Meta', 'AltGraph'] as const)
    expect(isSign(press('/', { modifiers: [modifier] }), '/')).toBe(false);
  expect(isSign(press('/', { isComposing: true }), '/')).toBe(false);
  expect(isSign(press('/', { keyCode: 229 }), '/')).toBe(false);
});

describe('isCommand', () => {
  test.each([
    ['Ctrl+K', 'k', 'KeyK', ['Control'], true],
    ['Command+K', 'k', 'KeyK', ['Meta'], true],
    ['Ctrl+K on a Russian layout', 'л', 'KeyK', ['Control'], true],
    ['Ctrl+K on a phonetic Russian layout', 'к', 'KeyK', ['Control'], true],
    ['Ctrl+K on a Greek layout', 'κ', 'KeyK', ['Control'], true],
    ['Ctrl+K on a Hebrew layout', 'ל', 'KeyK', ['Control'], true],
    ['Ctrl+K on Dvorak, where K is in the place of V', 'k', 'KeyV', ['Control'], true],
    ['Ctrl+T on Dvorak, in the place of K', 't', 'KeyK', ['Control'], false],
    ['Ctrl+R on a Russian layout, which reloads the page', 'к', 'KeyR', ['Control'], false],
    ['K alone', 'k', 'KeyK', [], false],
    ['AltGr+K on Windows', 'k', 'KeyK', ['Control', 'Alt', 'AltGraph'], false],
    ['Ctrl+Alt+K', 'k', 'KeyK', ['Control', 'Alt'], false],
  ] as const)('%s: %#', (_, key, code, modifiers, expected) => {
    expect(isCommand(press(key, { code, modifiers }), 'k')).toBe(expected);
  });
});

test('knows a key of an input method, also the Enter that Safari sends after the end of a composition', () => {
  expect(isComposing(press('Enter', { isComposing: true }))).toBe(true);
  expect(isComposing(press('Enter', { keyCode: 229 }))).toBe(true);
  expect(isComposing(press('Enter', { keyCode: 13 }))).toBe(false);
});
