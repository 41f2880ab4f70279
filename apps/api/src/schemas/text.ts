import { utcTimestampPattern } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';
import { alwaysHidden, findHiddenCharacter } from './hidden-characters.ts';

/**
 * Second arguments of zod's `min` and `max`: they check the length only of strings, or only of arrays. Without them,
 * zod 4.6 also checks values that already failed the type check. It then throws for an object whose `length` cannot be
 * converted to a number, such as `{"toString":1,"valueOf":1}`. Zod's types do not declare this option.
 */
export const forStringLength: object = { when: ({ value }: { value: unknown }) => typeof value === 'string' };
export const forArrayLength: object = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

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

/** A time in a response: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });
