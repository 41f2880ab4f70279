/**
 * Characters that nobody sees, or that turn the direction of the text around them: with them, one name can pass for
 * another. Controls, line separators, lone surrogates, and what fonts must not show (`Default_Ignorable_Code_Point`, with
 * all controls of direction). Besides, the marks of annotations and the blank Braille pattern, which Unicode leaves out.
 */
const hiddenCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u;

/** Scripts in which a joiner changes how letters look, for example Persian and Hindi. */
const joiningScripts = [
  ...['Arab', 'Syrc', 'Mand', 'Nkoo', 'Mong', 'Adlm', 'Rohg', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu'],
  ...['Knda', 'Mlym', 'Sinh', 'Tibt', 'Mymr', 'Khmr', 'Java', 'Bali'],
];
const joining = `[${joiningScripts.map((script) => `\\p{scx=${script}}`).join('')}]`;

/** Where some hidden characters are part of what people see. Each alternative looks at its neighbours only. */
const neededCharacters = new RegExp(
  [
    // A joiner between two letters, or after a mark: Malayalam words may end with one.
    `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
    `(?<=(?=${joining})\\p{M})[\\u200c\\u200d]`,
    // Emoji: a family is several people with joiners; a red heart is a black one with a selector; a keycap is a digit.
    '(?<=\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\ufe0f]?)\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    // Variants of Han characters, for example in Japanese names, and of Mongolian letters.
    '(?<=\\p{scx=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{scx=Mong})[\\u180b-\\u180f]',
  ].join('|'),
  'gu',
);

/** Returns the first hidden character that is no needed part of the text, or null. */
export function findHiddenCharacter(text: string): string | null {
  if (!hiddenCharacter.test(text)) return null;
  return hiddenCharacter.exec(text.replaceAll(neededCharacters, ''))?.[0] ?? null;
}

/**
 * Hidden characters that no text may contain, as ranges of a pattern without `\p` and `\u`. Those that some texts need are
 * left out: whether a text needs them, no pattern of every language can say.
 */
export const alwaysHidden = [
  ...['\\x00-\\x1f\\x7f-\\x9f\\xad', '\u034f\u061c\u115f\u1160\u17b4\u17b5', '\u200b\u200e\u200f\u2028-\u202e'],
  ...['\u2060-\u206f', '\u2800\u3164', '\ufe03-\ufe0d', '\ufeff\uffa0', '\ufff0-\ufffb', '\u{1bca0}-\u{1bca3}'],
  ...['\u{1d173}-\u{1d17a}', '\u{e0000}-\u{e00ff}', '\u{e01f0}-\u{e0fff}'],
].join('');
