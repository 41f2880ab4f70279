import { describe, expect, test } from 'vitest';
import { isCommand, isComposing, readKey } from './read-key.ts';

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
    shiftKey: modifiers.includes('Shift'),
    ctrlKey: modifiers.includes('Control'),
    altKey: modifiers.includes('Alt'),
    metaKey: modifiers.includes('Meta'),
    getModifierState: (name: string) => (modifiers as readonly string[]).includes(name),
  };
}

describe('readKey', () => {
  test.each([
    ['an English layout', 'c', 'KeyC', 'c'],
    ['Dvorak: the letter counts, not its place', 'j', 'KeyC', 'j'],
    ['AZERTY', 'w', 'KeyZ', 'w'],
    ['a Russian layout', 'с', 'KeyC', 'c'],
    ['a Russian layout, a letter that looks Latin', 'о', 'KeyJ', 'j'],
    ['a Greek layout', 'ψ', 'KeyC', 'c'],
    ['a Hebrew layout', 'ב', 'KeyC', 'c'],
    ['a Hebrew layout, where a sign is in the place of a letter', "'", 'KeyW', 'w'],
    ['a Turkish layout', 'ı', 'KeyI', 'i'],
    ['an Arabic layout', 'ل', 'KeyG', 'g'],
    ['Caps Lock', 'C', 'KeyC', 'c'],
    ['a sign', '/', 'Slash', '/'],
    ['a named key', 'ArrowDown', 'ArrowDown', 'ArrowDown'],
    ['a key without a place', 'я', '', 'я'],
    ['a dead key', 'Dead', 'Equal', 'Dead'],
  ])('reads %s', (_, key, code, expected) => {
    expect(readKey(press(key, { code }))).toBe(expected);
  });

  test('reads what Shift makes of a key', () => {
    expect(readKey(press('?', { code: 'Slash', modifiers: ['Shift'] }))).toBe('?');
    expect(readKey(press('C', { code: 'KeyC', modifiers: ['Shift'] }))).toBe('C');
  });

  test.each(['Control', 'Alt', 'Meta', 'AltGraph'] as const)('reads nothing with %s', (modifier) => {
    expect(readKey(press('c', { code: 'KeyC', modifiers: [modifier] }))).toBeNull();
  });

  test('reads nothing that an input method uses', () => {
    expect(readKey(press('Enter', { isComposing: true }))).toBeNull();
    expect(readKey(press('Enter', { keyCode: 229 }))).toBeNull();
    expect(readKey(press('Process', { code: 'KeyC', keyCode: 229 }))).toBeNull();
  });
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
