import { parseExactJson } from '@widget-service/client/json/exact-json.ts';

/** Parses what a person has typed as a payload, and keeps every digit. Returns null if it is no JSON object. */
export function parsePayload(text: string): Record<string, unknown> | null {
  try {
    const parsed = parseExactJson(text);
    return isPlainObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** False for lists, and for the objects that stand for long numbers. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** In characters. A job can be megabytes long. */
const shownMax = 20_000;

/**
 * Writes foreign text as a JSON string, at most its first 20 000 characters. Characters that show nothing, or change how
 * others are shown, are written as `\uXXXX`, so that what is shown is what is there.
 */
export function quoteText(text: string): string {
  return JSON.stringify(text.slice(0, shownMax)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()].map((at) => escapeUnit(character.charCodeAt(at))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
