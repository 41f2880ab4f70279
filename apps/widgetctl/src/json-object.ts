import { parseExactJson } from '@widget-service/client/json/exact-json.ts';

/** Parses a JSON object, and keeps every digit of its numbers. Returns null if the text is none. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const parsed = parseExactJson(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
