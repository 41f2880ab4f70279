import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** What a command prints: words, words with a style, or several of these one after the other. */
export type Text = string | StyledText | readonly Text[];

interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/**
 * Returns the characters that a terminal gets: what is foreign in a text cannot move the cursor, change the terminal,
 * reorder the line or begin another one. Only styles make control characters.
 */
export function renderText(text: Text, hasColors: boolean): string {
  if (typeof text === 'string') return escapeControls(text);
  if ('style' in text) {
    const escaped = escapeControls(text.text);
    // Whether there are colours was decided already, for the standard output as a whole.
    return hasColors ? styleText(text.style, escaped, { validateStream: false }) : escaped;
  }
  return text.map((part) => renderText(part, hasColors)).join('');
}

/**
 * Replaces control characters, line separators, lone surrogates and those that reorder a line by `\uXXXX`. In a text of
 * JSON they can only be inside a string, so the JSON keeps its meaning.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Puts a separator between the texts that are not empty. */
export function joinTexts(texts: readonly Text[], separator: string): Text {
  const isEmpty = (text: Text): boolean =>
    typeof text === 'string' ? text === '' : 'style' in text ? text.text === '' : text.every(isEmpty);
  return texts.filter((text) => !isEmpty(text)).map((text, index) => (index === 0 ? text : [separator, text]));
}
