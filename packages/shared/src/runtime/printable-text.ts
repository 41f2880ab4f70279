/**
 * Characters that no reader should get raw: controls (C0, DEL, C1), the line and paragraph separators, and the controls
 * of the writing direction. A terminal runs some of them as commands, and others hide, reorder or forge lines.
 */
const unprintable = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const unprintablePattern = new RegExp(`[${unprintable}]`);
const everyUnprintable = new RegExp(`[${unprintable}]`, 'g');
const everyUnprintableButLineFeed = new RegExp(`(?!\\n)[${unprintable}]`, 'g');

/** Returns a text with each such character as `\u009b`. In a JSON text without line breaks, the values stay equal. */
export function escapeControls(text: string): string {
  // Almost no text has one, and testing costs less than replacing.
  return unprintablePattern.test(text) ? text.replace(everyUnprintable, escapeCharacter) : text;
}

/** Returns a text of several lines with each such character except the line feed as `\u009b`. */
export function escapeControlsInLines(text: string): string {
  return unprintablePattern.test(text) ? text.replace(everyUnprintableButLineFeed, escapeCharacter) : text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
