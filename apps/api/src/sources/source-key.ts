import { createPublicKey, type KeyObject } from 'node:crypto';
import type { HookSource, SignatureScheme } from '@widget-service/shared/domain/hook-source.ts';
import { findScheme } from './presets.ts';

/** A secret in the form that its scheme needs. */
export type SourceKey = Buffer | KeyObject;

/**
 * Converts a secret to the key of its scheme. Returns null if it is not written as the scheme says. An Ed25519 key is
 * the sender's public key: its 32 bytes, or PEM.
 */
export function toSourceKey(secret: string, scheme: SignatureScheme): SourceKey | null {
  if (scheme.algorithm === 'ed25519' && secret.startsWith('-----BEGIN')) return toPublicKey(secret);
  const bytes = decodeSecret(secret, scheme.secretEncoding);
  if (bytes === null || bytes.length === 0) return null;
  return scheme.algorithm === 'ed25519' ? toRawPublicKey(bytes) : bytes;
}

function decodeSecret(secret: string, encoding: SignatureScheme['secretEncoding']): Buffer | null {
  if (encoding === 'text') return Buffer.from(secret);
  if (encoding === 'hex') return decodeExactly(secret.toLowerCase(), 'hex');
  const base64 = encoding === 'base64' ? secret : /^wh(?:sec|pk)_(.*)$/s.exec(secret)?.[1];
  return base64 === undefined ? null : decodeExactly(base64.replace(/={1,2}$/, ''), 'base64');
}

/** Each byte string has one text: Node would skip characters that it does not know. */
export function decodeExactly(text: string, encoding: 'hex' | 'base64'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding).replace(/={1,2}$/, '') === text ? bytes : null;
}

function toPublicKey(pem: string): KeyObject | null {
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

/** Converts secrets to keys. Null if one is not written as the scheme says, or if there are none to convert. */
export function toSourceKeys(source: HookSource, secrets: readonly string[] | null): readonly SourceKey[] | null {
  const scheme = findScheme(source);
  const keys = secrets?.map((secret) => toSourceKey(secret, scheme)) ?? null;
  return keys?.every((key) => key !== null) === true ? keys : null;
}
