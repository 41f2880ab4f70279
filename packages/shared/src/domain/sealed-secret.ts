import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
/** Of the size that GCM is made for (NIST SP 800-38D, section 8.2). */
const nonceBytes = 12;
const tagBytes = 16;
/** Parts this use of the token's key material from every other there may ever be. */
const purpose = 'widget-service signing secret';

const signingSecretPrefix = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes. */
const signingSecretBytes = 32;

/** A new secret for signing hooks, in the form of Standard Webhooks: `whsec_` and base64. */
export function mintSigningSecret(): string {
  return `${signingSecretPrefix}${randomBytes(signingSecretBytes).toString('base64')}`;
}

/** The key material of a signing secret. Null when the text has not the form of one. */
export function parseSigningSecret(secret: string): Buffer | null {
  return secret.startsWith(signingSecretPrefix)
    ? Buffer.from(secret.slice(signingSecretPrefix.length), 'base64')
    : null;
}

/**
 * Closes a secret so that only whoever presents `token` can have it opened: the token itself is not stored, so a copy
 * of the database opens nothing. AES-256-GCM under a key derived from the token by HKDF (RFC 5869); the form is
 * base64url of nonce, cipher text and tag.
 */
export function sealSecret(secret: string, token: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, deriveKey(token), nonce);
  return Buffer.concat([nonce, sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
    'base64url',
  );
}

/** The secret that was sealed under this token; null under any other, and for a text that was changed. */
export function unsealSecret(sealed: string, token: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceBytes + tagBytes) return null;
  const opening = createDecipheriv(cipher, deriveKey(token), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const text = opening.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
  try {
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** A token has 190 random bits: it needs stretching neither by a salt nor by work. */
function deriveKey(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', purpose, keyBytes));
}
