import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';

// The schemas of settings whose value is a text in PEM. Their messages never quote it.

const beginning = '-----BEGIN CERTIFICATE-----';

/** One certificate, or several: a chain, or the certificates of several authorities. */
export const certificates = z
  .string()
  .refine((text) => {
    const bodies = text.split(beginning).slice(1);
    return bodies.length > 0 && bodies.every((body) => canParse(() => new X509Certificate(`${beginning}${body}`)));
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

/**
 * Returns why TLS cannot use this pair, for example `ee key too small`. Null: it can. Otherwise each attempt to connect
 * would fail. The words are those of OpenSSL, and quote nothing.
 */
export function explainUnusablePair(key: string, certificate: string): string | null {
  try {
    createSecureContext({ key, cert: certificate });
    return null;
  } catch (error) {
    return (error as { reason?: string }).reason ?? 'unknown reason';
  }
}

function canParse(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
