import { utcTimestampPattern } from '@widget-service/shared/domain/timestamp.ts';
import { z } from 'zod';

/**
 * Second arguments of zod's `min` and `max`: they check the length only of strings, or only of arrays. Without them,
 * zod 4.6 also checks values that already failed the type check. It then throws for an object whose `length` cannot be
 * converted to a number, such as `{"toString":1,"valueOf":1}`. Zod's types do not declare this option.
 */
const forStringLength: object = { when: ({ value }: { value: unknown }) => typeof value === 'string' };
export const forArrayLength: object = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

// The parts of patterns, without look-around and `\p` or `\u`: RE2 and Python lack some of these.
const controls = '\\x00-\\x1f\\x7f-\\x9f';
/** What `trim` removes. */
const spaces = '\\t-\\r \\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const controlCharacter = new RegExp(`[${controls}]`);

/** Matches exactly what `displayText` accepts, before trimming. Characters are code points. */
function buildDisplayTextPattern(min: number, max: number): string {
  const edge = `[^${controls}${spaces}]`;
  if (max === 1) return `^[${spaces}]*${edge}[${spaces}]*$`;
  const rest = `[^${controls}]{${Math.max(min - 2, 0)},${max - 2}}${edge}`;
  return `^[${spaces}]*${edge}${min > 1 ? rest : `(?:${rest})?`}[${spaces}]*$`;
}

/**
 * A text for people: trimmed, then `min` to `max` code points (as zod 4.6 counts), without control characters. In the
 * document only the pattern has the upper bound: `maxLength` would count the spaces that are trimmed.
 */
export function displayText(min: number, max: number) {
  return z
    .string()
    .trim()
    .min(min, forStringLength)
    .max(max, forStringLength)
    .check(({ value, issues }) => {
      if (issues.length > 0 || !controlCharacter.test(value)) return;
      issues.push({ code: 'custom', message: 'Must not contain control characters.', input: value });
    })
    .meta({ pattern: buildDisplayTextPattern(min, max), maxLength: undefined });
}

/** A new password: 12 to 128 code points, neither trimmed nor normalised. */
export const newPassword = z.string().min(12, forStringLength).max(128, forStringLength).meta({ format: 'password' });

/** A UUID of any version, in either case. It is converted to lower case. */
export const uuid = z.guid().toLowerCase();

/** Follows the HTML5 pattern, which also accepts `admin@localhost`. At most 254 characters. */
export const emailAddress = z.string().max(254, forStringLength).regex(z.regexes.html5Email).meta({ format: 'email' });

/** How the document describes a time in a request: what `parseUtcTimestamp` accepts. */
export const utcTimeFormat = { type: 'string', format: 'date-time', pattern: utcTimestampPattern } as const;

/** A time in a response: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });
