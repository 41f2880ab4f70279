import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { unsealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import type { GrantToken } from '@widget-service/shared/entities/grant.ts';
import type { SignatureScheme } from '@widget-service/shared/entities/hook-source.ts';

/** A secret as a key object, with which Node computes an HMAC in a fifth of the time that raw bytes take. */
export type SourceKey = KeyObject;

/**
 * Converts a secret to the key of its scheme. Returns null if it is not written as the scheme says. An Ed25519 key is
 * the sender's public key: its 32 bytes, or PEM.
 */
export function toSourceKey(secret: string, scheme: SignatureScheme): SourceKey | null {
  const isPublic = scheme.algorithm === 'ed25519';
  if (isPublic && secret.startsWith('-----BEGIN')) return toPublicKey(secret);
  const bytes = decodeSecret(secret, scheme.secretEncoding, isPublic);
  if (bytes === null || bytes.length === 0) return null;
  return isPublic ? toRawPublicKey(bytes) : createSecretKey(bytes);
}

/** Rejects a public key (by its prefix) as the key of an HMAC: everybody knows it. */
function decodeSecret(secret: string, encoding: SignatureScheme['secretEncoding'], isPublic: boolean): Buffer | null {
  if (encoding === 'text') return Buffer.from(secret);
  if (encoding === 'hex') return decodeExactly(secret.toLowerCase(), 'hex');
  const prefix = encoding === 'base64' ? '' : isPublic ? 'whpk_' : 'whsec_';
  if (!secret.startsWith(prefix)) return null;
  return decodeExactly(secret.slice(prefix.length).replace(/={1,2}$/, ''), 'base64');
}

/** Decodes a text without padding. Each byte string has one text: Node would skip characters that it does not know. */
export function decodeExactly(text: string, encoding: 'hex' | 'base64'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding).replace(/={1,2}$/, '') === text ? bytes : null;
}

/** Rejects a private key: Node would derive the public key from it, but nobody should store a private key here. */
function toPublicKey(pem: string): KeyObject | null {
  if (pem.includes('PRIVATE KEY')) return null;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function toRawPublicKey(bytes: Buffer): KeyObject | null {
  if (bytes.length !== 32) return null;
  const key = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  return createPublicKey({ key, format: 'jwk' });
}

/** Converts secrets to keys. Null if `secrets` is null, or if one is not written as the scheme says. */
export function toSourceKeys(scheme: SignatureScheme, secrets: readonly string[] | null): readonly SourceKey[] | null {
  const keys = secrets?.map((secret) => toSourceKey(secret, scheme)) ?? null;
  return keys?.every((key) => key !== null) === true ? keys : null;
}

/** Caches unsealed keys as long as the token cache holds their token, because unsealing costs more than verifying. */
const keysOfTokens = new WeakMap<GrantToken, readonly SourceKey[]>();

/** Returns the keys of a token. `token` is its text. Throws an `Error` if the stored secrets are damaged. */
export function unsealKeys(grantToken: GrantToken, token: string, scheme: SignatureScheme): readonly SourceKey[] {
  const cached = keysOfTokens.get(grantToken);
  if (cached !== undefined) return cached;
  const keys = toSourceKeys(scheme, unsealSecrets(grantToken.sealedSecret ?? '', token));
  if (keys === null) throw new Error('The stored secrets of a hook token are damaged: rotate its integration.');
  keysOfTokens.set(grantToken, keys);
  return keys;
}
