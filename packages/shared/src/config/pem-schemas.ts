import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';

// The schemas of settings whose value is a text in PEM. Their messages never quote it.

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** One certificate, or several: a chain, or the certificates of several authorities. */
export const certificates = z
  .string()
  .refine((text) => {
    const found = text.match(block) ?? [];
    return found.length > 0 && found.every((one) => canParse(() => new X509Certificate(one)));
  }, 'one or more certificates in PEM')
  .nullable();

export const privateKey = z
  .string()
  .refine((text) => canParse(() => createPrivateKey(text)), 'a private key in PEM, without a passphrase')
  .nullable();

/** Whether the key is that of the first certificate. */
export function isKeyOf(key: string, certificate: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
}

function canParse(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
