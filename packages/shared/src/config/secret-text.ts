import { z } from 'zod';

/** Controls (line ends, too), and what no font shows. They come with a copy or a file: nobody types them. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * A secret that was copied from elsewhere: a key, a password, a token. It loses blanks and line ends at its ends, and
 * is refused with a character that nobody sees. Keys in PEM have lines.
 */
export const secretText = z
  .string()
  .trim()
  .refine((text) => text.startsWith('-----BEGIN ') || !hidden.test(text), {
    message: 'Must not contain a line end or another control or invisible character.',
  });
