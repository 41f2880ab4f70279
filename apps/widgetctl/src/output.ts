import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | null;
}

export interface OutputOptions {
  readonly isJson: boolean;
  readonly hasColors: boolean;
  readonly write: (text: string) => void;
  readonly writeNote: (text: string) => void;
}

/**
 * Prints results to the standard output and notes to the standard error, so that results can be piped. With `--json`, each
 * result is one line of JSON.
 */
export class Output {
  readonly isJson: boolean;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.isJson = options.isJson;
    this.#options = options;
  }

  /** Prints a result: as JSON, or as the line that `describe` makes of it. */
  result<Result>(result: Result, describe: (result: Result) => string): void {
    this.#options.write(`${this.isJson ? JSON.stringify(result) : describe(result)}\n`);
  }

  /** Prints the members of one thing, one a line. With `--json`, all of it. */
  facts(result: object, facts: readonly (readonly [string, string])[]): void {
    const width = Math.max(...facts.map(([name]) => name.length));
    this.result(result, () =>
      facts.map(([name, value]) => `${this.paint('dim', name.padEnd(width))}  ${value}`).join('\n'),
    );
  }

  /** Prints rows in columns. With `--json`, one row a line. Says so if there is none. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    if (this.isJson) {
      for (const row of rows) this.#options.write(`${JSON.stringify(row)}\n`);
      return;
    }
    if (rows.length === 0) {
      this.note('none');
      return;
    }
    const cells = rows.map((row) => columns.map(({ text }) => toOneLine(text(row))));
    const widths = columns.map(({ title }, index) =>
      Math.max(title.length, ...cells.map((row) => countWidth(row[index]))),
    );
    const layOut = (texts: readonly string[]) =>
      texts.map((text, index) => text + ' '.repeat((widths[index] ?? 0) - countWidth(text)));
    this.#options.write(
      `${this.paint(
        'dim',
        layOut(columns.map(({ title }) => title))
          .join('  ')
          .trimEnd(),
      )}\n`,
    );
    for (const [index, row] of rows.entries()) {
      const texts = layOut(cells[index] ?? []).map((text, column) => {
        const style = columns[column]?.style?.(row) ?? null;
        return style === null ? text : this.paint(style, text);
      });
      this.#options.write(`${texts.join('  ').trimEnd()}\n`);
    }
  }

  /** Says something to the person, apart from the results. */
  note(text: string): void {
    this.#options.writeNote(`${text}\n`);
  }

  paint(style: Style, text: string): string {
    // Whether there are colours was decided already, for the standard output as a whole.
    return this.#options.hasColors ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Replaces characters that would move the cursor, change the terminal or reorder the line. */
export function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\ufffd');
}

/** Of characters, not of UTF-16 units. */
function countWidth(text = ''): number {
  return Array.from(text).length;
}
