/** DEL, C1, the line and paragraph separators, and the controls of the writing direction. */
const beyondC0 = '\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/**
 * Makes a function that returns a text with every control character of the pattern as `\u009b`. No reader should get
 * them raw: a terminal runs some of them as commands, and others hide, reorder or forge lines. In a JSON text the
 * values stay equal.
 */
function makeEscape(controls: RegExp): (text: string) => string {
  // Almost no text has one, and searching costs less than replacing.
  return (text) => (text.search(controls) === -1 ? text : text.replace(controls, escapeCharacter));
}

/** Returns a character of the basic plane as JSON and JavaScript escape it, for example `\u009b`. */
export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** For a text of one line. */
export const escapeControls = makeEscape(new RegExp(`[\\u0000-\\u001f${beyondC0}]`, 'g'));
/** For a text of several lines: keeps line feeds. */
export const escapeControlsInLines = makeEscape(new RegExp(`[\\u0000-\\u0009\\u000b-\\u001f${beyondC0}]`, 'g'));
/** For lines with colours, whose other control characters are escaped already: keeps line feeds and ESC. */
export const escapeControlsInColoredLines = makeEscape(
  new RegExp(`[\\u0000-\\u0009\\u000b-\\u001a\\u001c-\\u001f${beyondC0}]`, 'g'),
);
