/**
 * Returns the text as searches compare it: without the differences of case, of the normal form (`ü` as one character
 * or as two) and of compatible letters (`ﬁ`, full-width letters). Accents count. `ß` is `ss`, and `İ` is `i`.
 */
export function foldText(text: string): string {
  // Most texts are ASCII, and there are 100 000 of them.
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      // The capital form joins letters that have several small ones: `ß` and `ss`.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('i\u0307', 'i')
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
  );
}

/** Decodes a part of an address, and keeps one that is no valid encoding. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Without letters and digits that look alike. */
const passwordCharacters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes a password of five groups of four characters, such as `k7wq-x2mc-…`: 99 random bits. */
export function generatePassword(): string {
  // The remainder prefers some characters by less than 1 in 100 million.
  const numbers = [...crypto.getRandomValues(new Uint32Array(20))];
  const text = numbers.map((number) => passwordCharacters[number % passwordCharacters.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? text;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Whether the text may be an event id or the id of a widget. */
export const isUuid = (text: string): boolean => uuid.test(text);

/**
 * Returns the value of a key that somebody else has chosen, such as the kind of a hook. Returns undefined if the table
 * does not have it: a plain `table[key]` would also find what every object inherits, such as `constructor`.
 */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** In characters. A job can be megabytes long. */
const shownMax = 20_000;

/**
 * Writes foreign text as a JSON string, at most its first 20 000 characters. Characters that show nothing, or change
 * how others are shown, are written as `\uXXXX`, so that what is shown is what is there.
 */
export function quoteText(text: string): string {
  return JSON.stringify(text.slice(0, shownMax)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()].map((at) => escapeUnit(character.charCodeAt(at))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
