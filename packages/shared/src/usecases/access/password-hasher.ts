import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { createSemaphore } from '../../runtime/semaphore.ts';

/** OWASP's minimum for argon2id: 19 MiB of memory, two passes, one lane. `memory` is in KiB. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const tagBytes = 32;
/** Each hash takes 19 MiB and one core, so the number of concurrent hashes is limited. */
const limits = { what: 'hash a password', maxRunning: 2, maxWaiting: 100, maxWaitMs: 2_000 } as const;

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export interface PasswordHasher {
  /** Returns the hash in PHC string format. */
  hash(password: string): Promise<string>;
  /**
   * Returns whether `password` belongs to the hash `phc`. Pass null for an account that does not exist: the call takes
   * the same time and returns false. `source` says who asks, for example a client address: sources take turns. Throws
   * an `Error` if `phc` is not an argon2id PHC string of version 19.
   */
  verify(password: string, phc: string | null, source: string): Promise<boolean>;
}

/** Computes an argon2id tag. */
export type DeriveTag = (parameters: Argon2Parameters) => Promise<Buffer>;

/**
 * Creates a hasher that uses Node's own argon2id, on Node's thread pool. It computes at most two hashes at once. Its
 * methods throw `UnavailableError` if the call has waited for 2 s, or if 100 calls wait already and no other source has
 * more of them.
 */
export function createPasswordHasher(derive: DeriveTag = deriveArgon2id): PasswordHasher {
  const limit = createSemaphore(limits);
  const decoyHash = formatPhc(randomBytes(saltBytes), randomBytes(tagBytes));
  return {
    hash: (password) =>
      limit(async () => {
        const salt = randomBytes(saltBytes);
        return formatPhc(salt, await derive({ ...cost, message: password, nonce: salt, tagLength: tagBytes }));
      }),
    verify: (password, phc, source) =>
      limit(async () => {
        const stored = parsePhc(phc ?? decoyHash);
        const tag = await derive({ ...stored.parameters, message: password });
        return timingSafeEqual(tag, stored.tag) && phc !== null;
      }, source),
  };
}

/** @internal Exported so that tests can wrap it. */
export function deriveArgon2id(parameters: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });
}

function formatPhc(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toPhcBase64(salt)}$${toPhcBase64(tag)}`;
}

function parsePhc(phc: string): { parameters: Omit<Argon2Parameters, 'message'>; tag: Buffer } {
  const match = phcPattern.exec(phc);
  if (match === null)
    throw new Error('a stored password hash is not an argon2id PHC string (v=19): set a new password');
  const [, memory, passes, parallelism, salt = '', tagText = ''] = match;
  const tag = Buffer.from(tagText, 'base64');
  const nonce = Buffer.from(salt, 'base64');
  return {
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce,
      tagLength: tag.length,
    },
    tag,
  };
}

/** The PHC format's base64 has no padding. */
function toPhcBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
