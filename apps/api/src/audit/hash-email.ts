import { createHmac, randomBytes } from 'node:crypto';
import type { ServiceKeyStore } from '@widget-service/shared/ports/service-key-store.ts';

const keyName = 'audit-email-hmac';
const keyBytes = 32;

export interface HashEmailDeps {
  /** The setting `AUDIT_HMAC_KEY`. Null: all pods use a random key that the store keeps. */
  readonly configuredKey: string | null;
  readonly serviceKeys: ServiceKeyStore;
}

export type HashEmail = (email: string) => Promise<string | null>;

/**
 * Makes the function that returns the HMAC-SHA256 of an e-mail, in hexadecimal. Upper and lower case are equal, and
 * every pod returns the same. Returns null while the key cannot be read. It reads the key once.
 */
export function makeHashEmail({ configuredKey, serviceKeys }: HashEmailDeps): HashEmail {
  let reading: Promise<string> | null = configuredKey === null ? null : Promise.resolve(configuredKey);
  const readKey = () => {
    reading ??= serviceKeys.ensure(keyName, randomBytes(keyBytes).toString('base64url')).catch((error: unknown) => {
      reading = null;
      throw error;
    });
    return reading;
  };
  return async (email) => {
    try {
      return createHmac('sha256', await readKey())
        .update(email.toLowerCase())
        .digest('hex');
    } catch {
      return null;
    }
  };
}
