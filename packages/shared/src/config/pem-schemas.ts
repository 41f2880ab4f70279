import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';

// The schemas of settings whose value is a text in PEM. Their messages never quote it.

const beginning = '-----BEGIN CERTIFICATE-----';

/** One certificate, or several: a chain, or the certificates of several authorities. */
export const certificates = z.string().refine((text) => {
  const bodies = text.split(beginning).slice(1);
  return bodies.length > 0 && bodies.every((body) => canParse(() => new X509Certificate(`${beginning}${body}`)));
}, 'one or more certificates in PEM');

const keyText = 'certificates in PEM, and the private key of the first one in PEM, without a passphrase';

/** A certificate, its chain and its private key. A pair that TLS cannot use would fail at each attempt to connect. */
export const certificatesWithKey = z
  .string()
  .transform((text, { issues }) => {
    const message = certificates.safeParse(text).success ? findKeyMistake(text) : keyText;
    if (message !== null) issues.push({ code: 'custom', message, input: text });
    return text;
  })
  .nullable();

/** The words of a refusal, for example `ee key too small`, are those of OpenSSL, and quote nothing. */
function findKeyMistake(text: string): string | null {
  if (!canParse(() => createPrivateKey(text))) return keyText;
  if (!new X509Certificate(text).checkPrivateKey(createPrivateKey(text)))
    return 'certificates whose first one belongs to the private key';
  try {
    createSecureContext({ key: text, cert: text });
    return null;
  } catch (error) {
    return `a pair that TLS can use (it refuses this one: ${(error as { reason?: string }).reason ?? 'unknown reason'})`;
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
