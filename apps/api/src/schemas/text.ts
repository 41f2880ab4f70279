import { utcTimestampPattern } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';

/** As `forArrayLength` for strings. */
export const forStringLength: object = { when: ({ value }: { value: unknown }) => typeof value === 'string' };

// The parts of patterns, without look-around and `\p` or `\u`: RE2 and Python lack some of these.
/** What `trim` removes. */
const spaces = '\\t-\\r \\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/**
 * Matches what `displayText` accepts, before trimming, and texts with joiners and selectors where they hide. Characters
 * are code points.
 */
function buildDisplayTextPattern(min: number, max: number): string {
  const edge = `[^${alwaysHidden}${spaces}]`;
  if (max === 1) return `^[${spaces}]*${edge}[${spaces}]*$`;
  const rest = `[^${alwaysHidden}]{${Math.max(min - 2, 0)},${max - 2}}${edge}`;
  return `^[${spaces}]*${edge}${min > 1 ? rest : `(?:${rest})?`}[${spaces}]*$`;
}

/**
 * A text for people: trimmed, then `min` to `max` code points (as zod 4.6 counts), without hidden characters. In the
 * document only the pattern has the upper bound: `maxLength` would count the spaces that are trimmed.
 */
export function displayText(min: number, max: number) {
  return z
    .string()
    .trim()
    .min(min, forStringLength)
    .max(max, forStringLength)
    .check(({ value, issues }) => {
      // The text is short from here on.
      const hidden = issues.length > 0 ? null : findHiddenCharacter(value);
      if (hidden === null) return;
      const code = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      issues.push({
        code: 'custom',
        message: `Must not contain the control or invisible character U+${code}. Remove it, or type the text again.`,
        input: value,
      });
    })
    .meta({ pattern: buildDisplayTextPattern(min, max), maxLength: undefined });
}

const controls = '\\x00-\\x1f\\x7f-\\x9f';
const passwordEdge = `[^${controls}${spaces}]`;
const passwordPattern = `^${passwordEdge}(?:[^${controls}]*${passwordEdge})?$`;
const isPassword = new RegExp(passwordPattern, 'u');

/**
 * A new password: 12 to 128 code points, neither trimmed nor normalised. Blanks at its ends and line ends are refused:
 * they come with a copy or a file, and the next sign-in is typed without them.
 */
export const newPassword = z
  .string()
  .min(12, forStringLength)
  .max(128, forStringLength)
  .check(({ value, issues }) => {
    if (issues.length > 0 || isPassword.test(value)) return;
    const message = 'Must neither begin nor end with a blank, nor contain a line end or another control character.';
    issues.push({ code: 'custom', message, input: value });
  })
  .meta({ format: 'password', pattern: passwordPattern });

/** A UUID of any version, in either case. It is converted to lower case. */
export const uuid = z.guid().toLowerCase();

/** Follows the HTML5 pattern, which also accepts `admin@localhost`. At most 254 characters. */
export const emailAddress = z.string().max(254, forStringLength).regex(z.regexes.html5Email).meta({ format: 'email' });

/** How the document describes a time in a request: what `parseUtcTimestamp` accepts. */
export const utcTimeFormat = { type: 'string', format: 'date-time', pattern: utcTimestampPattern } as const;

/** An id in a response. */
export const shownUuid = z.string().meta({ format: 'uuid' });

/** A time in a response: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });

/**
 * Characters that nobody sees, or that turn the direction of the text around them: with them, one name can pass for
 * another. Controls, line separators, lone surrogates, and what fonts must not show (`Default_Ignorable_Code_Point`,
 * with all controls of direction). Besides, the marks of annotations and the blank Braille pattern, which Unicode
 * leaves out.
 */
const hiddenCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u;

/** Scripts in which a joiner changes how letters look, for example Persian and Hindi. */
const joiningScripts =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mand}\\p{scx=Nkoo}\\p{scx=Mong}\\p{scx=Adlm}\\p{scx=Rohg}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}';
const moreJoiningScripts =
  '\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Tibt}\\p{scx=Mymr}\\p{scx=Khmr}\\p{scx=Java}\\p{scx=Bali}';
/** Each of these matches one character. */
const joining = new RegExp(`^[${joiningScripts}${moreJoiningScripts}]$`, 'u');
const mark = /^\p{M}$/u;
const pictogram = /^\p{Extended_Pictographic}$/u;
const changeOfPictogram = /^(?:\p{Emoji_Modifier}|\ufe0f)$/u;
const han = /^\p{scx=Han}$/u;
const mongolian = /^\p{scx=Mong}$/u;

/** Returns the first hidden character that is no needed part of the text, or null. */
export function findHiddenCharacter(text: string): string | null {
  if (!hiddenCharacter.test(text)) return null;
  const characters = Array.from(text);
  return characters.find((character, index) => hiddenCharacter.test(character) && !isNeeded(characters, index)) ?? null;
}

/** Returns whether a hidden character is part of what people see. It depends on its neighbours only. */
function isNeeded(characters: readonly string[], index: number): boolean {
  const [earlier = '', previous = '', character = '', next = ''] = [-2, -1, 0, 1].map(
    (step) => characters[index + step],
  );
  const isJoiner = character === '\u200c' || character === '\u200d';
  // Between two letters, or after a mark: Malayalam words may end with one.
  if (isJoiner && joining.test(previous) && (joining.test(next) || mark.test(previous))) return true;
  // A family is several people with joiners; a red heart is a black one with a selector; a keycap is a digit.
  const pictogramBefore = changeOfPictogram.test(previous) ? earlier : previous;
  if (character === '\u200d' && pictogram.test(pictogramBefore) && pictogram.test(next)) return true;
  if (character === '\ufe0e' || character === '\ufe0f') {
    return pictogram.test(previous) || (/^[0-9#*]$/.test(previous) && next === '\u20e3' && character === '\ufe0f');
  }
  // Variants of Han characters, for example in Japanese names, and of Mongolian letters.
  if (/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(character)) return han.test(previous);
  return /^[\u180b-\u180f]$/.test(character) && mongolian.test(previous);
}

/**
 * Hidden characters that no text may contain, as ranges of a pattern without `\p` and `\u`. Those that some texts need
 * are left out: whether a text needs them, no pattern of every language can say.
 */
export const alwaysHidden = [
  ...['\\x00-\\x1f\\x7f-\\x9f\\xad', '\u034f\u061c\u115f\u1160\u17b4\u17b5', '\u200b\u200e\u200f\u2028-\u202e'],
  ...['\u2060-\u206f', '\u2800\u3164', '\ufe03-\ufe0d', '\ufeff\uffa0', '\ufff0-\ufffb', '\u{1bca0}-\u{1bca3}'],
  ...['\u{1d173}-\u{1d17a}', '\u{e0000}-\u{e00ff}', '\u{e01f0}-\u{e0fff}'],
].join('');
