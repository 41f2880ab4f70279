import { TextDecoder } from 'node:util';
import { UsageError } from './failures.ts';
import { removeAtEnd } from './remove-at-end.ts';

/** One line of a text, counted from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

const maxLineLength = 16 * 1024 * 1024;

/**
 * Decodes a text as editors of any system write it: UTF-8, or UTF-16 with a byte order mark; lines that end with LF,
 * CRLF or CR. NUL characters at the end are dropped. Throws a `UsageError` that names the source and the line for
 * anything else.
 */
export async function* decodeLines(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Line, void, void> {
  const decoder = new LineDecoder(source);
  for await (const chunk of chunks) yield* decoder.feed(chunk);
  yield* decoder.end();
}

class LineDecoder {
  readonly #source: string;
  #decoder: TextDecoder | null = null;
  /** The first bytes, until there are enough of them to see a byte order mark. */
  #head: Uint8Array = new Uint8Array();
  /** The beginning of the current line. */
  #rest = '';
  /** A CR at the end of a chunk may be the first half of a CRLF. */
  #heldCr = '';
  #number = 1;
  #hasSeenNul = false;

  constructor(source: string) {
    this.#source = source;
  }

  *feed(chunk: Uint8Array): Generator<Line, void, void> {
    if (this.#decoder === null) {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (this.#head.length < 2) return;
    }
    const text = this.#heldCr + this.#decode(this.#decoder === null ? this.#head : chunk, false);
    this.#heldCr = text.endsWith('\r') ? '\r' : '';
    yield* this.#split(text.slice(0, text.length - this.#heldCr.length));
  }

  *end(): Generator<Line, void, void> {
    const bytes = this.#decoder === null ? this.#head : new Uint8Array();
    yield* this.#split(this.#heldCr + this.#decode(bytes, true));
    const text = this.#clean(this.#rest);
    if (text !== '') yield { number: this.#number, text };
  }

  #decode(bytes: Uint8Array, isLast: boolean): string {
    this.#decoder ??= new TextDecoder(chooseEncoding(bytes), { fatal: true });
    const { encoding } = this.#decoder;
    try {
      return this.#decoder.decode(bytes, { stream: !isLast });
    } catch {
      const before = new TextDecoder(encoding).decode(bytes).split('\ufffd')[0] ?? '';
      throw this.#describe(
        this.#number + splitLines(before).length - 1,
        `it is not ${encoding.toUpperCase()}. Save the file as UTF-8.`,
      );
    }
  }

  *#split(text: string): Generator<Line, void, void> {
    const pieces = splitLines(text);
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield { number: this.#number, text: this.#clean(this.#rest + piece) };
      this.#rest = '';
      this.#number += 1;
    }
    this.#rest += last;
    if (this.#rest.length > maxLineLength) throw this.#describe(this.#number, 'it is longer than 16 MiB.');
  }

  #clean(raw: string): string {
    // Where files were put together, a byte order mark may be at the beginning of any line.
    const text = removeAtEnd(raw.replace(/^\ufeff/, ''), '\0');
    if (text.includes('\0') || (this.#hasSeenNul && text !== '')) {
      const reason = 'it holds a NUL character, as UTF-16 without a byte order mark does. Save the file as UTF-8.';
      throw this.#describe(this.#number, reason);
    }
    this.#hasSeenNul ||= raw.endsWith('\0');
    return text;
  }

  #describe(line: number, reason: string): UsageError {
    return new UsageError(`${this.#source}, line ${line}: ${reason}`);
  }
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function chooseEncoding([first, second]: Uint8Array): string {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}
