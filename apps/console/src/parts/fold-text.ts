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
