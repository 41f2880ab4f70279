import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import type { Printer } from './printer.ts';
import { escapeControls, type Style, type Text } from './printer.ts';

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | null;
}

export interface OutputOptions {
  readonly isJson: boolean;
  readonly hasColors: boolean;
  readonly printer: Printer;
}

/**
 * Prints results to the standard output and notes to the standard error, so that results can be piped. With `--json`,
 * each result is one line of JSON.
 */
export class Output {
  readonly isJson: boolean;
  readonly #hasColors: boolean;
  readonly #printer: Printer;

  constructor({ isJson, hasColors, printer }: OutputOptions) {
    this.isJson = isJson;
    this.#hasColors = hasColors;
    this.#printer = printer;
  }

  /** Prints a result: as JSON, or as the line that `describe` makes of it. */
  result<Result>(result: Result, describe: (result: Result) => Text): void {
    this.#printer.line(this.isJson ? formatExactJson(result) : describe(result), this.#hasColors);
  }

  /** Prints a result: as JSON, or as these lines. */
  lines(result: unknown, lines: readonly Text[]): void {
    if (this.isJson) this.result(result, () => '');
    else for (const line of lines) this.#printer.line(line, this.#hasColors);
  }

  /** Prints the members of one thing, one a line. With `--json`, all of it. */
  facts(result: object, facts: readonly (readonly [string, string])[]): void {
    const width = Math.max(...facts.map(([name]) => name.length));
    const toLine = ([name, value]: (typeof facts)[number]) =>
      [{ style: 'dim', text: name.padEnd(width) }, '  ', value] as const;
    this.lines(result, facts.map(toLine));
  }

  /** Prints rows in columns. With `--json`, one row a line. Says so if there is none. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    if (this.isJson) {
      for (const row of rows) this.result(row, () => '');
      return;
    }
    if (rows.length === 0) {
      this.note('none');
      return;
    }
    // Escaped here as well, because the escaped text is what has a width.
    const cells = rows.map((row) => columns.map(({ text }) => escapeControls(text(row))));
    const widths = columns.map(({ title }, index) =>
      Math.max(title.length, ...cells.map((row) => countWidth(row[index]))),
    );
    const printRow = (texts: readonly string[], chooseStyle: (column: number) => Style | null) => {
      const last = texts.findLastIndex((text) => text !== '');
      const line = texts.slice(0, last + 1).map((text, column): Text => {
        const gap = column === last ? '' : ' '.repeat((widths[column] ?? 0) - countWidth(text) + 2);
        const style = chooseStyle(column);
        return [style === null ? text : { style, text }, gap];
      });
      this.#printer.line(line, this.#hasColors);
    };
    printRow(
      columns.map(({ title }) => title),
      () => 'dim',
    );
    for (const [index, row] of rows.entries()) {
      printRow(cells[index] ?? [], (column) => columns[column]?.style?.(row) ?? null);
    }
  }

  /** Says something to the person, apart from the results. */
  note(text: string): void {
    this.#printer.note(text);
  }

  /** Prints a question. The answer follows on the same line. */
  question(text: string): void {
    this.#printer.question(text);
  }

  /** Resolves when whoever reads the standard output has taken the results so far, or they wait in a pipe to it. */
  written(): Promise<void> {
    return this.#printer.written();
  }
}

/** Of characters, not of UTF-16 units. */
function countWidth(text = ''): number {
  return Array.from(text).length;
}
