import { z } from 'zod';
import { lengthOfText } from './length-of.ts';

const controlCharacter = /\p{Cc}/u;

/** A text of people: trimmed, then `min` to `max` code points (so zod counts) without control characters. */
export function personalText(min: number, max: number) {
  return z
    .string()
    .trim()
    .min(min, lengthOfText)
    .max(max, lengthOfText)
    .check(({ value, issues }) => {
      if (issues.length > 0 || !controlCharacter.test(value)) return;
      issues.push({ code: 'custom', message: 'Must not contain control characters.', input: value });
    });
}

/** A password to be: 12 to 128 code points, exactly as they were typed. */
export const newPassword = z.string().min(12, lengthOfText).max(128, lengthOfText).meta({ format: 'password' });

/** A UUID of any version and in either case, as lower-case. */
export const uuid = z.guid().toLowerCase();

/** The pattern of HTML5, which takes `admin@localhost` too. */
export const emailAddress = z.string().max(254, lengthOfText).regex(z.regexes.html5Email).meta({ format: 'email' });

/** A time as this service writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });
