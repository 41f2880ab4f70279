import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { decryptText, encryptText } from './encrypted-text.ts';

// Seals the secrets of an integration with its token (ADR 48). Only with the token can they be unsealed. With the
// stored text alone they can be replaced, so that the address stays when a foreign sender's secrets change.

const signingSecretPrefix = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytesRange = [24, 64] as const;
const signingSecretBytes = 32;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

const keyBytes = 32;
const keyPairPurpose = 'widget-service sealing key';
const secretsPurpose = 'widget-service source secrets';
/** What precedes the 32 bytes of an X25519 key in PKCS #8 (RFC 8410, section 7). */
const privateKeyHead = Buffer.from('302e020100300506032b656e04220420', 'hex');

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
 * Encrypts secrets so that only a caller with `token` can decrypt them. The token gives an X25519 key pair (RFC 7748)
 * by HKDF (RFC 5869), and a new key pair for each call gives the key of AES-256-GCM. The result holds the public keys.
 */
export function sealSecrets(secrets: readonly string[], token: string): string {
  return seal(secrets, createPublicKey(derivePrivateKey(token)));
}

/** Encrypts other secrets for the token for which `sealed` was made. Throws an `Error` if it is damaged. */
export function sealAgain(secrets: readonly string[], sealed: string): string {
  const [recipient = ''] = sealed.split('.');
  return seal(secrets, toPublicKey(recipient));
}

/** Decrypts the secrets. Returns null if `token` is not the one they were sealed for, or if the text was changed. */
export function unsealSecrets(sealed: string, token: string): readonly string[] | null {
  const [recipient, sender, content] = sealed.split('.');
  if (recipient === undefined || sender === undefined || content === undefined) return null;
  const privateKey = derivePrivateKey(token);
  if (exportPublicKey(createPublicKey(privateKey)) !== recipient) return null;
  try {
    const key = deriveKey(diffieHellman({ privateKey, publicKey: toPublicKey(sender) }), sender, recipient);
    const text = decryptText(content, key);
    return text === null ? null : (JSON.parse(text) as readonly string[]);
  } catch {
    return null;
  }
}

function seal(secrets: readonly string[], publicKey: KeyObject): string {
  const recipient = exportPublicKey(publicKey);
  const own = generateKeyPairSync('x25519');
  const sender = exportPublicKey(own.publicKey);
  const key = deriveKey(diffieHellman({ privateKey: own.privateKey, publicKey }), sender, recipient);
  return [recipient, sender, encryptText(JSON.stringify(secrets), key)].join('.');
}

/** Tokens have 190 random bits, so the key needs no salt and no slow hash. */
function derivePrivateKey(token: string): KeyObject {
  const bytes = Buffer.from(hkdfSync('sha256', token, '', keyPairPurpose, keyBytes));
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, bytes]), format: 'der', type: 'pkcs8' });
}

function deriveKey(shared: Buffer, sender: string, recipient: string): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, `${sender}.${recipient}`, secretsPurpose, keyBytes));
}

function exportPublicKey(key: KeyObject): string {
  return key.export({ format: 'jwk' }).x ?? '';
}

function toPublicKey(x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}
