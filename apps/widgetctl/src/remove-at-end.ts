/** Removes every occurrence of a character at the end of a text. A pattern such as `\n+$` would take quadratic time. */
export function removeAtEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
