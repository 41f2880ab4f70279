import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ServiceKey } from '@widget-service/shared/entities/service-key.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';

const keyName = 'audit-email-hmac';
const keyBytes = 32;

type ServiceKeys = Pick<Collection<ServiceKey>, 'get' | 'insert'>;

export type HashText = (text: string) => Promise<string | null>;

/**
 * Makes the function that returns the HMAC-SHA256 of an e-mail or of another text that must not be stored, in
 * hexadecimal. Upper and lower case are equal, and every pod returns the same. Returns null while the key cannot be
 * read. It reads the key once. `configuredKey` is the setting `AUDIT_HMAC_KEY`. Null: all pods use a random key that
 * the store keeps.
 */
export function makeHashText(serviceKeys: ServiceKeys, configuredKey: string | null): HashText {
  let reading: Promise<string> | null = configuredKey === null ? null : Promise.resolve(configuredKey);
  const readKey = () => {
    reading ??= ensureServiceKey(serviceKeys, keyName, randomBytes(keyBytes).toString('base64url')).catch(
      (error: unknown) => {
        reading = null;
        throw error;
      },
    );
    return reading;
  };
  return async (text) => {
    try {
      return createHmac('sha256', await readKey())
        .update(text.toLowerCase())
        .digest('hex');
    } catch {
      return null;
    }
  };
}

/**
 * Replaces the keys of a limiter by their HMACs: some contain an address, or a digest of what somebody typed as an
 * e-mail, and a reader of a copy of the store could test guesses. Throws `UnavailableError`.
 */
export function limitByDigests(limiter: RateLimiter, hashText: HashText): RateLimiter {
  const digest = async (key: string): Promise<string> => {
    const hashed = await hashText(key);
    if (hashed === null) throw new UnavailableError('rate limit: the key of the HMACs cannot be read');
    return hashed;
  };
  return {
    take: async (request) => limiter.take({ ...request, key: await digest(request.key) }),
    giveBack: async (key, limit, count) => limiter.giveBack(await digest(key), limit, count),
  };
}

/**
 * Returns the key with this name. If there is none, stores `candidate` and returns it. Of several concurrent calls with
 * one name, all return the same key. Throws `UnavailableError`.
 */
export async function ensureServiceKey(keys: ServiceKeys, name: string, candidate: string): Promise<string> {
  // Another pod may have stored its key first: the stored one counts. Retries, because MongoDB returns a document only
  // once a majority has it.
  for (const end = performance.now() + requestDeadlineMs; performance.now() < end; await delay(20)) {
    const stored = await keys.get(name);
    if (stored !== null) return stored.secret;
    if (await keys.insert({ name, secret: candidate })) return candidate;
  }
  throw new UnavailableError(`the service key ${name} exists but could not be read`);
}
