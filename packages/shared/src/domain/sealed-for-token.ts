import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { decryptText, encryptText } from './encrypted-text.ts';

// Secrets of a foreign sender, which its operator replaces while the address stays. Whoever has the token can unseal
// them; whoever has only the stored text can replace them, and unseal nothing. `sealed-secret.ts` needs the token for
// both.

const keyBytes = 32;
const keyPairPurpose = 'widget-service sealing key';
const secretsPurpose = 'widget-service source secrets';
/** Distinguishes the format from that of `sealed-secret.ts`, which has no dot. */
const formatName = 'x1';
/** What precedes the 32 bytes of an X25519 key in PKCS #8 (RFC 8410, section 7). */
const privateKeyHead = Buffer.from('302e020100300506032b656e04220420', 'hex');

/**
 * Encrypts secrets so that only a caller with `token` can decrypt them. The token gives an X25519 key pair (RFC 7748)
 * by HKDF (RFC 5869), and a new key pair for each call gives the key of AES-256-GCM. The result holds the public keys.
 */
export function sealForToken(secrets: readonly string[], token: string): string {
  return seal(secrets, createPublicKey(derivePrivateKey(token)));
}

/** Encrypts other secrets for the token for which `sealed` was made. Throws an `Error` if it has another format. */
export function sealAgain(secrets: readonly string[], sealed: string): string {
  const [format, recipient = ''] = sealed.split('.');
  if (format !== formatName) throw new Error('The secrets are not sealed for a token.');
  return seal(secrets, toPublicKey(recipient));
}

/** Whether the text is of this format. */
export function isSealedForToken(sealed: string): boolean {
  return sealed.startsWith(`${formatName}.`);
}

/** Decrypts the secrets. Returns null if `token` is not the one they were sealed for, or if the text was changed. */
export function unsealForToken(sealed: string, token: string): readonly string[] | null {
  const [format, recipient, sender, content] = sealed.split('.');
  if (format !== formatName || recipient === undefined || sender === undefined || content === undefined) return null;
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
  return [formatName, recipient, sender, encryptText(JSON.stringify(secrets), key)].join('.');
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
