import { renderText, type Text } from './styled-text.ts';

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
