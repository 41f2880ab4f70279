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
