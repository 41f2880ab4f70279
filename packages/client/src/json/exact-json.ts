import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Parses a JSON text and keeps every digit: a number that a JavaScript number would write in another way, for example
 * 12345678901234567890 or 1.0, becomes a `LosslessNumber` of the package `lossless-json`. `String()` gives its digits,
 * {@link formatExactJson} writes them, and a `HookSender` sends them. A byte order mark at the start is left out.
 *
 * @throws {SyntaxError} if the text is no JSON.
 */
export function parseExactJson(text: string): unknown {
  return parse(text.replace(/^\uFEFF/, ''), null, parseNumber);
}

/**
 * Writes a value as JSON, with every digit of what {@link parseExactJson} has read, and of bigints.
 *
 * @param indent How many spaces each level is indented by. 0: everything on one line.
 */
export function formatExactJson(value: unknown, indent = 0): string {
  return stringify(value, null, indent) ?? 'null';
}

function parseNumber(text: string): number | LosslessNumber {
  const number = Number(text);
  return String(number) === text ? number : new LosslessNumber(text);
}
