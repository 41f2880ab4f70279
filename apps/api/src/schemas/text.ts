import { z } from 'zod';

const controlCharacter = /\p{Cc}/u;

/**
 * A text of people: trimmed, then `min` to `max` code points without control characters. Zod itself counts UTF-16
 * units, by which an emoji is two.
 */
export function personalText(min: number, max: number) {
  return z
    .string()
    .trim()
    .check((context) => {
      const { value, issues } = context;
      const length = codePointsOf(value);
      const bounds = { origin: 'string', inclusive: true, input: value } as const;
      if (length < min) issues.push({ ...bounds, code: 'too_small', minimum: min });
      else if (length > max) issues.push({ ...bounds, code: 'too_big', maximum: max });
      else if (controlCharacter.test(value)) {
        issues.push({ code: 'custom', message: 'Must not contain control characters.', input: value });
      }
    })
    .meta({ minLength: min, maxLength: max });
}

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A UUID of any version and in either case, as lower-case. */
export const uuid = z.guid().toLowerCase();

/** The pattern of HTML5, which takes `admin@localhost` too. */
export const emailAddress = z.string().max(254).regex(z.regexes.html5Email).meta({ format: 'email' });

/** A time as this service writes it: RFC 3339, UTC, milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' });
