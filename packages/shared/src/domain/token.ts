import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `wst` opens a stream, `wht` posts hooks, `wpt` creates widgets. */
export type TokenPrefix = 'wst' | 'wht' | 'wpt';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
const pattern = /^(wst|wht|wpt)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new secret: the prefix, 32 random base62 characters (190 bits) and six of checksum. */
export function mintToken(prefix: TokenPrefix): string {
  let secret = '';
  for (let i = 0; i < secretLength; i += 1) secret += alphabet[randomInt(alphabet.length)];
  return `${prefix}_${secret}${checksum(`${prefix}_${secret}`)}`;
}

/**
 * Whether a text has the form of a token with this prefix. A typing error or a made-up token fails the checksum,
 * and is refused without asking a store; the form is no secret.
 */
export function isWellFormedToken(text: string, prefix: TokenPrefix): boolean {
  const match = pattern.exec(text);
  return match !== null && match[1] === prefix && checksum(`${match[1]}_${match[2]}`) === match[3];
}

/** What is stored instead of a token or session id: its SHA-256, in hexadecimal. */
export function sha256Hex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < checksumLength; i += 1) {
    encoded = `${alphabet[rest % alphabet.length]}${encoded}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return encoded;
}
