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

/**
 * Returns the original text of one member of a JSON object, on one line: a number keeps its digits, an object keeps the
 * order of its members. The last of repeated members counts, as with `JSON.parse`. Returns null if there is no such
 * member, or if the text is not an object.
 *
 * `json` must be well-formed: the function scans it once and does not validate it.
 */
export function extractMemberText(json: string, name: string): string | null {
  let at = skipWhitespace(json, 0);
  if (json.charCodeAt(at) !== openBrace) return null;
  let memberText: string | null = null;
  at = skipWhitespace(json, at + 1);
  while (json.charCodeAt(at) === quote) {
    const keyEnd = skipString(json, at);
    const isWanted = decodeName(json.slice(at + 1, keyEnd - 1)) === name;
    const valueStart = skipWhitespace(json, skipWhitespace(json, keyEnd) + 1);
    const valueEnd = skipValue(json, valueStart);
    if (isWanted) memberText = json.slice(valueStart, valueEnd);
    at = skipWhitespace(json, valueEnd);
    if (json.charCodeAt(at) === comma) at = skipWhitespace(json, at + 1);
  }
  return memberText === null ? null : toSingleLine(memberText);
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
    if (code === comma || code === closeBrace || isWhitespace(code)) return at;
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
