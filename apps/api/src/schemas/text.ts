import { z } from 'zod';

/**
 * For zod's bounds of a length, as their second argument: what is asked for its length is a text or an array. By
 * themselves they ask whatever was sent, after it was refused too, and fail on an object whose `length` is no number.
 * Zod's types hide that it can be told so.
 */
const forStringLength: object = { when: ({ value }: { value: unknown }) => typeof value === 'string' };
export const forArrayLength: object = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

const controlCharacter = /\p{Cc}/u;

/** A text of people: trimmed, then `min` to `max` code points (so zod counts) without control characters. */
export function displayText(min: number, max: number) {
  return z
    .string()
    .trim()
    .min(min, forStringLength)
    .max(max, forStringLength)
    .check(({ value, issues }) => {
      if (issues.length > 0 || !controlCharacter.test(value)) return;
      issues.push({ code: 'custom', message: 'Must not contain control characters.', input: value });
    });
}

/** A password to be: 12 to 128 code points, exactly as they were typed. */
export const newPassword = z.string().min(12, forStringLength).max(128, forStringLength).meta({ format: 'password' });

/** A UUID of any version and in either case, as lower-case. */
export const uuid = z.guid().toLowerCase();

/** The pattern of HTML5, which takes `admin@localhost` too. */
export const emailAddress = z.string().max(254, forStringLength).regex(z.regexes.html5Email).meta({ format: 'email' });

/** A time as this service writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });
