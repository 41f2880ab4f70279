import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `wst` opens a stream, `wht` posts hooks, `wpt` creates widgets. */
export type TokenPrefix = 'wst' | 'wht' | 'wpt';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
const pattern = /^(wst|wht|wpt)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** Returns a new token: the prefix, 32 random base62 characters (190 bits) and a checksum of six characters. */
export function mintToken(prefix: TokenPrefix): string {
  let secret = '';
  for (let i = 0; i < secretLength; i += 1) secret += alphabet[randomInt(alphabet.length)];
  return `${prefix}_${secret}${computeChecksum(`${prefix}_${secret}`)}`;
}

/**
 * Returns whether a text has the format of a token with this prefix. A mistyped or invented token fails the checksum,
 * so the api rejects it without reading a store. Anyone can compute the checksum: it proves nothing, and comparing it
 * reveals nothing.
 */
export function isWellFormedToken(text: string, prefix: TokenPrefix): boolean {
  const match = pattern.exec(text);
  return match !== null && match[1] === prefix && computeChecksum(`${match[1]}_${match[2]}`) === match[3];
}

/** Returns the SHA-256, in hexadecimal. Stores hold it instead of a token or a session id. */
export function sha256Hex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function computeChecksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < checksumLength; i += 1) {
    encoded = `${alphabet[rest % alphabet.length]}${encoded}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return encoded;
}

/** Whether two byte strings are equal. Its duration does not reveal how many bytes match. It may reveal the length. */
export function isEqualInConstantTime(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
