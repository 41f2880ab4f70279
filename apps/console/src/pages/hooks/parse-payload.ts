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
