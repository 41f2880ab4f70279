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
function renderText(text: Text, hasColors: boolean): string {
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

/** The standard output or the standard error. */
export interface Sink {
  /** Calls back when the operating system has the text. */
  write(text: string, onWritten?: () => void): unknown;
}

/**
 * Writes lines to the standard output and the standard error. Everything that a command prints passes through here, and
 * here foreign text loses its control characters, so that no command can forget it.
 */
export class Printer {
  readonly #results: Sink;
  readonly #notes: Sink;
  #written: Promise<void> = Promise.resolve();

  constructor(results: Sink, notes: Sink) {
    this.#results = results;
    this.#notes = notes;
  }

  /** Prints one line to the standard output. */
  line(text: Text, hasColors = false): void {
    this.#written = new Promise((resolve) => this.#results.write(`${renderText(text, hasColors)}\n`, () => resolve()));
  }

  /** Prints one line to the standard error. */
  note(text: string): void {
    this.#notes.write(`${renderText(text, false)}\n`);
  }

  /** Prints a question to the standard error. The answer follows on the same line. */
  question(text: string): void {
    this.#notes.write(renderText(text, false));
  }

  /** Resolves when the operating system has everything that was printed to the standard output. */
  written(): Promise<void> {
    return this.#written;
  }
}
