/** Parses a JSON text. Returns undefined for invalid JSON: no JSON text has that value. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const minus = 0x2d;
const digitZero = 0x30;
const digitNine = 0x39;

/**
 * Returns the original text of one member of a JSON object, on one line: a number keeps its digits, an object keeps the
 * order of its members. The last of repeated members counts, as with `JSON.parse`. Returns null if there is no such
 * member, or if the text is not an object.
 *
 * `json` must be well-formed: the function scans it once and does not validate it.
 */
export function extractMemberText(json: string, name: string): string | null {
  const span = findMember(json, skipWhitespace(json, 0), name);
  return span === null ? null : toSingleLine(json.slice(span.start, span.end));
}

/**
 * Returns the original text of the value at a path, like `extractMemberText`. A step is the name of a member or the
 * index of an item. Returns null if there is no such value.
 */
export function extractTextAt(json: string, path: readonly string[]): string | null {
  const start = skipWhitespace(json, 0);
  let span: Span | null = { start, end: skipValue(json, start) };
  for (const step of path) {
    const isArray: boolean = json.charCodeAt(span.start) === openBracket;
    span = isArray ? findItem(json, span.start, step) : findMember(json, span.start, step);
    if (span === null) return null;
  }
  return toSingleLine(json.slice(span.start, span.end));
}

/** Where a value is in a JSON text; `end` is the index after it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns null if no object begins at `start`. */
function findMember(json: string, start: number, name: string): Span | null {
  if (json.charCodeAt(start) !== openBrace) return null;
  let member: Span | null = null;
  let at = skipWhitespace(json, start + 1);
  while (json.charCodeAt(at) === quote) {
    const keyEnd = skipString(json, at);
    const isWanted = decodeName(json.slice(at + 1, keyEnd - 1)) === name;
    const valueStart = skipWhitespace(json, skipWhitespace(json, keyEnd) + 1);
    const valueEnd = skipValue(json, valueStart);
    if (isWanted) member = { start: valueStart, end: valueEnd };
    at = skipWhitespace(json, valueEnd);
    if (json.charCodeAt(at) === comma) at = skipWhitespace(json, at + 1);
  }
  return member;
}

const indexPattern = /^(?:0|[1-9]\d{0,8})$/;

/** Whether a step of a JSON Pointer is the index of an item, as RFC 6901 writes it. */
export function isItemIndex(step: string): boolean {
  return indexPattern.test(step);
}

/** An array begins at `start`. */
function findItem(json: string, start: number, step: string): Span | null {
  if (!isItemIndex(step)) return null;
  let at = skipWhitespace(json, start + 1);
  for (let left = Number(step); json.charCodeAt(at) !== closeBracket; left -= 1) {
    const end = skipValue(json, at);
    if (left === 0) return { start: at, end };
    at = skipWhitespace(json, end);
    if (json.charCodeAt(at) === comma) at = skipWhitespace(json, at + 1);
  }
  return null;
}

/** Replaces the line breaks of a JSON text by spaces. JSON strings escape theirs, so every raw one is layout. */
export function toSingleLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

function decodeName(rawName: string): string {
  return rawName.includes('\\') ? (JSON.parse(`"${rawName}"`) as string) : rawName;
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipWhitespace(json: string, start: number): number {
  let at = start;
  while (isWhitespace(json.charCodeAt(at))) at += 1;
  return at;
}

/** `start` is an opening quote. Returns the index after the closing quote. */
function skipString(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at + 1;
  }
  return at;
}

function skipValue(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === quote) return skipString(json, start);
  if (first === openBrace || first === openBracket) return skipNested(json, start);
  let at = start;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === comma || code === closeBrace || code === closeBracket || isWhitespace(code)) return at;
  }
  return at;
}

/** `start` is an opening bracket. Returns the index after its closing bracket. */
function skipNested(json: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = skipString(json, at);
      continue;
    }
    at += 1;
    if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return at;
}

/**
 * Returns the canonical form of a JSON text: the same text for all texts with the same meaning, and different texts for
 * different meanings. White space, escapes, the order of members and the notation of a number do not count: 1.10 and
 * 1.1 are one, and so are 1e2 and 100. Every digit counts, also beyond the precision of a JavaScript number. All of
 * several members with one name count, in their order.
 *
 * The form is that of RFC 8785 unless that would lose digits or members. `json` must be well-formed and of limited
 * depth: the function scans it once, and calls itself for each level.
 */
export function canonicalizeJson(json: string): string {
  return readCanonical({ json, at: skipWhitespace(json, 0) });
}

/** A text and the place up to which it was read. */
interface Cursor {
  readonly json: string;
  at: number;
}

/** A value begins at the cursor, which moves behind it. */
function readCanonical(cursor: Cursor): string {
  const { json, at } = cursor;
  const first = json.charCodeAt(at);
  if (first === openBrace) {
    const members = readSequence(cursor, closeBrace, readCanonicalMember);
    // The sort is stable, and compares UTF-16 code units as RFC 8785 demands.
    members.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    return `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }
  if (first === openBracket) return `[${readSequence(cursor, closeBracket, readCanonical).join(',')}]`;
  cursor.at = skipValue(json, at);
  const text = json.slice(at, cursor.at);
  if (first === quote) return text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text;
  const isNumber = first === minus || (first >= digitZero && first <= digitNine);
  return isNumber ? canonicalizeNumber(text) : text;
}

function readCanonicalMember(cursor: Cursor): { readonly name: string; readonly value: string } {
  const { json, at } = cursor;
  const nameEnd = skipString(json, at);
  cursor.at = skipWhitespace(json, skipWhitespace(json, nameEnd) + 1);
  return { name: decodeName(json.slice(at + 1, nameEnd - 1)), value: readCanonical(cursor) };
}

/** An opening bracket is at the cursor. Reads up to and including the closing bracket. */
function readSequence<Item>(cursor: Cursor, close: number, readItem: (cursor: Cursor) => Item): Item[] {
  const { json } = cursor;
  const items: Item[] = [];
  cursor.at = skipWhitespace(json, cursor.at + 1);
  while (cursor.at < json.length && json.charCodeAt(cursor.at) !== close) {
    items.push(readItem(cursor));
    cursor.at = skipWhitespace(json, cursor.at);
    if (json.charCodeAt(cursor.at) === comma) cursor.at = skipWhitespace(json, cursor.at + 1);
  }
  cursor.at += 1;
  return items;
}

/**
 * Returns the JSON text of an object without the members at these paths of names, also where they are repeated. All
 * other members keep their text. A path into an array finds nothing. `json` is as for `canonicalizeJson`.
 */
export function omitMembers(json: string, paths: readonly (readonly string[])[]): string {
  return readWithout({ json, at: skipWhitespace(json, 0) }, paths);
}

/** A value begins at the cursor, which moves behind it. */
function readWithout(cursor: Cursor, paths: readonly (readonly string[])[]): string {
  const { json, at } = cursor;
  if (paths.length > 0 && json.charCodeAt(at) === openBrace) {
    const members = readSequence(cursor, closeBrace, (member) => readMemberWithout(member, paths));
    return `{${members.filter((text) => text !== '').join(',')}}`;
  }
  cursor.at = skipValue(json, at);
  return json.slice(at, cursor.at);
}

/** Returns an empty text for a member that is left out. */
function readMemberWithout(cursor: Cursor, paths: readonly (readonly string[])[]): string {
  const { json, at } = cursor;
  const nameEnd = skipString(json, at);
  const name = decodeName(json.slice(at + 1, nameEnd - 1));
  const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
  cursor.at = skipWhitespace(json, skipWhitespace(json, nameEnd) + 1);
  const start = json.slice(at, cursor.at);
  const value = readWithout(cursor, below);
  return below.some(({ length }) => length === 0) ? '' : start + value;
}

/** Returns the one text for all notations of the number of a JSON text. Different numbers have different texts. */
export function canonicalizeNumber(text: string): string {
  const nearest = String(Number(text));
  if (nearest === text) return text;
  const exact = toExactNotation(text);
  return toExactNotation(nearest) === exact ? nearest : exact;
}

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Whole numbers with at most this many digits are written without an exponent. */
const plainDigitsMax = 40;

/** Returns the digits of a number without leading and trailing zeros, and its exponent. */
function toExactNotation(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = numberPattern.exec(text) ?? [];
  const digits = whole + fraction;
  const end = trimEnd(digits, digitZero);
  let start = 0;
  while (start < end && digits.charCodeAt(start) === digitZero) start += 1;
  if (start === end) return text === 'Infinity' || text === '-Infinity' ? text : '0';
  const exponent = Number(exponentText) + digits.length - end - fraction.length;
  // An absurdly large exponent: such a number equals only its own text.
  if (!Number.isSafeInteger(exponent)) return text;
  const significant = digits.slice(start, end);
  const isPlain = exponent >= 0 && significant.length + exponent <= plainDigitsMax;
  return `${sign}${significant}${isPlain ? '0'.repeat(exponent) : `e${exponent}`}`;
}

/** Returns the index after the last character that is not `code`. A regular expression would need quadratic time. */
function trimEnd(text: string, code: number): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === code) end -= 1;
  return end;
}
