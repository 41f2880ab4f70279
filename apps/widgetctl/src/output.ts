import { styleText } from 'node:util';
import { formatExactJson } from '@widget-service/client/json/exact-json.ts';

type Style = Parameters<typeof styleText>[0];

/** A text of a line, with a style where the output is a terminal. */
export interface Part {
  readonly text: string;
  readonly style?: Style | undefined;
}

/**
 * A column of a table, or a line of facts: a member of the row, which also gives the title (`createdAt`: CREATED), or a
 * title and a text.
 */
export type Column<Row> =
  | (keyof Row & string)
  | { readonly title: string; readonly text: (row: Row) => string; readonly style?: Style };

/** The standard output or the standard error. */
export interface Sink {
  /** Calls back when the operating system has the text. */
  write(text: string, onWritten?: () => void): unknown;
}

/** Results and messages go to different streams, so that results can be piped. */
interface Sinks {
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/**
 * Prints everything that a command prints. Here foreign text loses its control characters: it cannot move the cursor,
 * change the terminal, reorder the line or begin another one.
 */
export class Output {
  /** Whether each result is one line of JSON. */
  readonly isJson: boolean;
  readonly #hasColors: boolean;
  readonly #sinks: Sinks;
  #written: Promise<void> = Promise.resolve();

  constructor(sinks: Sinks, { isJson = false, hasColors = false } = {}) {
    this.isJson = isJson;
    this.#hasColors = hasColors;
    this.#sinks = sinks;
  }

  /** Prints a line of results. Two spaces are between its parts. */
  line(...parts: readonly (Part | string)[]): void {
    const line = parts.map((part) => {
      const { text, style }: Part = typeof part === 'string' ? { text: part } : part;
      const escaped = escapeControls(text);
      // Whether there are colours was decided already, for the standard output as a whole.
      return style && this.#hasColors ? styleText(style, escaped, { validateStream: false }) : escaped;
    });
    this.#written = new Promise((resolve) => this.#sinks.stdout.write(`${line.join('  ')}\n`, resolve));
  }

  /** Prints a result: as JSON, or as a line of these parts. */
  result(result: unknown, ...parts: readonly (Part | string)[]): void {
    if (this.isJson) this.line(formatExactJson(result));
    else this.line(...parts);
  }

  /** Prints some members of a result, one a line. With `--json`, all of it. */
  facts<Row extends object>(result: Row, columns: readonly Column<Row>[]): void {
    if (this.isJson) {
      this.result(result);
      return;
    }
    const facts = columns.map((column) => readCell(column, result, 'none'));
    const width = Math.max(...facts.map(({ title }) => title.length));
    for (const { title, text } of facts) this.line({ text: title.padEnd(width), style: 'dim' }, text);
  }

  /** Prints rows in columns. With `--json`, one row a line. Says so if there is none. */
  table<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    const [first] = rows;
    if (this.isJson) for (const row of rows) this.result(row);
    else if (first === undefined) this.note('none');
    else this.#printTable(first, rows, columns);
  }

  #printTable<Row extends object>(first: Row, rows: readonly Row[], columns: readonly Column<Row>[]): void {
    const titles = columns.map((column) => readCell(column, first, '').title.toUpperCase());
    const lines: (readonly Part[])[] = [
      titles.map((text) => ({ text, style: 'dim' as const })),
      // Escaped here as well, because the escaped text is what has a width.
      ...rows.map((row) =>
        columns
          .map((column) => readCell(column, row, ''))
          .map((cell) => ({ ...cell, text: escapeControls(cell.text) })),
      ),
    ];
    const widths = titles.map((_, index) => Math.max(...lines.map((cells) => countCharacters(cells[index]?.text))));
    for (const cells of lines) {
      const last = cells.findLastIndex(({ text }) => text !== '');
      const pad = (text: string, index: number) =>
        index === last ? text : text + ' '.repeat((widths[index] ?? 0) - countCharacters(text));
      this.line(...cells.slice(0, last + 1).map(({ text, style }, index) => ({ text: pad(text, index), style })));
    }
  }

  /** Says something to the person, apart from the results. */
  note(text: string): void {
    this.question(`${text}\n`);
  }

  /** Prints a question. The answer follows on the same line. */
  question(text: string): void {
    const end = text.endsWith('\n') ? '\n' : '';
    this.#sinks.stderr.write(escapeControls(text.slice(0, text.length - end.length)) + end);
  }

  /** Resolves when all results so far are written: read by the receiver, or in the pipe to it. */
  written(): Promise<void> {
    return this.#written;
  }
}

/** What a member is called where its name does not say it, and what an absent one is called. */
const titles: Readonly<Record<string, string>> = { updatedAt: 'Changed', sizeBytes: 'Bytes', jobId: 'Job' };
const absent: Readonly<Record<string, string>> = { expiresAt: 'never', publishedAt: 'no', retiredAt: 'no' };
const memberStyles: Readonly<Record<string, Style>> = { name: 'bold', email: 'bold' };
const stateStyles: Readonly<Record<string, Style>> = {
  active: 'green',
  published: 'green',
  received: 'yellow',
  dead: 'red',
  retired: 'dim',
  discarded: 'dim',
};

function readCell<Row extends object>(column: Column<Row>, row: Row, none: string): Part & { readonly title: string } {
  if (typeof column === 'object') return { ...column, text: column.text(row) };
  const value: unknown = row[column];
  const isAbsent = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  const text = isAbsent ? (absent[column] ?? none) : Array.isArray(value) ? value.join(', ') : String(value);
  return { title: titles[column] ?? toTitle(column), text, style: memberStyles[column] ?? stateStyles[text] };
}

/** `lastEventAt`: "Last event". */
function toTitle(member: string): string {
  const words = member.replace(/(?:At|Id)$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Replaces control characters, line separators, lone surrogates and those that reorder a line by `\uXXXX`. In a text of
 * JSON they can only be inside a string, so the JSON keeps its meaning.
 */
function escapeControls(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Characters, not UTF-16 units. */
function countCharacters(text = ''): number {
  return Array.from(text).length;
}
