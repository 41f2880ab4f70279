import { hkdfSync, randomBytes } from 'node:crypto';
import { decryptText, encryptText } from './encrypted-text.ts';

const keyBytes = 32;
/** Separates this key from any other key that is derived from the same secret. */
const signingSecretPurpose = 'widget-service signing secret';

const signingSecretPrefix = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytesRange = [24, 64] as const;
const signingSecretBytes = 32;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns a new secret for signing hooks, in the Standard Webhooks format: `whsec_` and base64. */
export function mintSigningSecret(): string {
  return `${signingSecretPrefix}${randomBytes(signingSecretBytes).toString('base64')}`;
}

/**
 * Returns the bytes that sign hooks, or null if the text does not start with `whsec_`. Does not validate the base64.
 */
export function parseSigningSecret(secret: string): Buffer | null {
  return secret.startsWith(signingSecretPrefix)
    ? Buffer.from(secret.slice(signingSecretPrefix.length), 'base64')
    : null;
}

/**
 * Returns what is wrong with a signing secret that a sender dictates, or null: it must be `whsec_` and the base64 of 24
 * to 64 bytes. The padding may be left out. Each secret has one base64: a text with other bits at its end was mistyped.
 */
export function findSecretMistake(secret: string): 'format' | 'too-short' | 'too-long' | null {
  const bytes = parseSigningSecret(secret);
  if (bytes === null) return 'format';
  const encoded = secret.slice(signingSecretPrefix.length);
  const padded = bytes.toString('base64');
  const isExact = encoded === padded || encoded === padded.replaceAll('=', '');
  if (!base64Pattern.test(encoded) || !isExact) return 'format';
  if (bytes.length < secretBytesRange[0]) return 'too-short';
  return bytes.length > secretBytesRange[1] ? 'too-long' : null;
}

/**
 * Encrypts a secret so that only a caller with `token` can decrypt it. Stores do not hold the token, so a copy of the
 * database reveals no secret. The cipher is AES-256-GCM with a key that HKDF (RFC 5869) derives from the token. The
 * result is base64url of nonce, cipher text and tag. Another `purpose` gives another key: what is sealed for one cannot
 * be unsealed for the other.
 */
export function sealSecret(secret: string, token: string, purpose: string = signingSecretPurpose): string {
  return encryptText(secret, deriveKey(token, purpose));
}

/** Decrypts a secret. Returns null if `token` is not the one it was sealed with, or if the text is not as sealed. */
export function unsealSecret(sealed: string, token: string, purpose: string = signingSecretPurpose): string | null {
  return decryptText(sealed, deriveKey(token, purpose));
}

/** Tokens have 190 random bits, and providers generate client secrets: the key needs no salt and no slow hash. */
function deriveKey(token: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', purpose, keyBytes));
}
