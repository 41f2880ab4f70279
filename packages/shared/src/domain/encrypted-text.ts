import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
/** The nonce length that GCM is designed for (NIST SP 800-38D, section 8.2). */
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a text with AES-256-GCM. Returns the base64url of nonce, cipher text and tag. `key` has 32 bytes. */
export function encryptText(text: string, key: Buffer): string {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce);
  const parts = [nonce, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** Decrypts what `encryptText` returned. Null: it was encrypted with another key, or changed. */
export function decryptText(encrypted: string, key: Buffer): string | null {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < nonceBytes + tagBytes) return null;
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const text = decryption.update(bytes.subarray(nonceBytes, bytes.length - tagBytes));
  try {
    return Buffer.concat([text, decryption.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/**
 * Encrypts a text with a key that HKDF (RFC 5869) derives from a secret of many random bits and a `purpose`. A text
 * that was sealed for one purpose cannot be unsealed for another.
 */
export function sealText(text: string, secret: string, purpose: string): string {
  return encryptText(text, deriveKey(secret, purpose));
}

/** Decrypts what `sealText` returned. Null: it was sealed with another secret or purpose, or changed. */
export function unsealText(sealed: string, secret: string, purpose: string): string | null {
  return decryptText(sealed, deriveKey(secret, purpose));
}

function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
