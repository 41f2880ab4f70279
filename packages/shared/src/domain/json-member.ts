const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The text of a member of a JSON object, as it was written but on one line: a number keeps its digits, an object the
 * order of its members. Of a repeated member the last one counts, as with `JSON.parse`. Null when the object has no
 * such member, or the text is no object.
 *
 * `json` must be well-formed: it is walked through once, not checked.
 */
export function extractMemberText(json: string, name: string): string | null {
  let at = skipWhitespace(json, 0);
  if (json.charCodeAt(at) !== openBrace) return null;
  let found: string | null = null;
  at = skipWhitespace(json, at + 1);
  while (json.charCodeAt(at) === quote) {
    const keyEnd = skipString(json, at);
    const isWanted = decodeName(json.slice(at + 1, keyEnd - 1)) === name;
    const valueStart = skipWhitespace(json, skipWhitespace(json, keyEnd) + 1);
    const valueEnd = skipValue(json, valueStart);
    if (isWanted) found = json.slice(valueStart, valueEnd);
    at = skipWhitespace(json, valueEnd);
    if (json.charCodeAt(at) === comma) at = skipWhitespace(json, at + 1);
  }
  return found === null ? null : toSingleLine(found);
}

/** Inside a string a line break is always escaped, so every one that stands in the text is mere layout. */
function toSingleLine(json: string): string {
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

/** From an opening quote to right after the closing one. */
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

/** From an opening bracket to right after the one that closes it. */
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
