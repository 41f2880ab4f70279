import { randomBytes } from 'node:crypto';
import type { SignatureScheme } from '@widget-service/shared/entities/hook-source.ts';

const signatureBytes: Readonly<Record<string, number>> = { 'hmac-sha1': 20, 'hmac-sha512': 64, ed25519: 64 };

/** Returns what the header of a scheme holds for a signature that is well-formed, and wrong. */
export function makeWrongSignature({ algorithm, prefix, encoding, separator, timestamp }: SignatureScheme): string {
  const signature = prefix + randomBytes(signatureBytes[algorithm] ?? 32).toString(encoding);
  if (timestamp?.entry === undefined) return signature;
  return `${timestamp.entry}${Math.floor(Date.now() / 1_000)}${separator}${signature}`;
}
