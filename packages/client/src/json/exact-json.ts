/** A number of a JSON text, with the digits that it has there. */
export class ExactNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  /** The digits as they came. */
  toString(): string {
    return this.#digits;
  }

  /** The nearest JavaScript number. */
  valueOf(): number {
    return Number(this.#digits);
  }

  /** `JSON.stringify` keeps the digits where the runtime can, such as Node 22. Else it takes the nearest number. */
  toJSON(): unknown {
    const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
    return rawJSON === undefined ? Number(this.#digits) : rawJSON(this.#digits);
  }
}

/** Begins the strings that stand for numbers meanwhile. Nobody else knows it, so no other string begins like this. */
const marker = crypto.getRandomValues(new Uint32Array(4)).join('-');

/**
 * A string, which may hold digits, or a number. In a well-formed text, digits are nowhere else. Its closing quote is
 * always there: it is optional so that the pattern takes linear time for any text.
 */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g;

/**
 * Parses a JSON text and keeps every digit: a number that JavaScript would write in another way, for example
 * 12345678901234567890 or 1.0, becomes an {@link ExactNumber}. A byte order mark at the start is left out.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  // Before anything else: it throws for a text that is not well-formed.
  const parsed: unknown = JSON.parse(json);
  const marked = json.replace(stringOrNumber, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${marker}${token}"`,
  );
  if (marked === json) return parsed;
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(marker) ? new ExactNumber(value.slice(marker.length)) : value,
  );
}

/** As {@link parseExactJson}, but returns null if the text is not a JSON object. */
export function parseExactObject(text: string): Record<string, unknown> | null {
  try {
    const parsed = parseExactJson(text);
    // An object of another class stands for a number or a list.
    const isObject =
      typeof parsed === 'object' && parsed !== null && Object.getPrototypeOf(parsed) === Object.prototype;
    return isObject ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/**
 * Writes a value as JSON, with every digit of what {@link parseExactJson} has read, and of bigints.
 *
 * @param indent How many spaces each level is indented by. 0: everything on one line.
 */
export function formatExactJson(value: unknown, indent = 0): string {
  const mark = function (this: Readonly<Record<string, unknown>>, key: string, shown: unknown) {
    // `shown` is what `toJSON` has made of it.
    const own = this[key];
    return own instanceof ExactNumber || typeof own === 'bigint' ? `${marker}${own}` : shown;
  };
  const [head = '', ...parts] = (JSON.stringify(value, mark, indent) ?? 'null').split(`"${marker}`);
  // Each part begins with the digits of a number, and the quote behind them.
  return head + parts.map((part) => part.replace('"', '')).join('');
}
