import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { dictionary } from '@zxcvbn-ts/language-common';
import { createSemaphore } from '../../runtime/semaphore.ts';

/** OWASP's minimum for argon2id: 19 MiB of memory, two passes, one lane. `memory` is in KiB. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const tagBytes = 32;
/** Each hash takes 19 MiB and one core, so the number of concurrent hashes is limited. */
const limits = { what: 'hash a password', maxRunning: 2, maxWaiting: 100, maxWaitMs: 2_000 } as const;

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Computes an argon2id tag. */
export type DeriveTag = (parameters: Argon2Parameters) => Promise<Buffer>;

/**
 * Hashes passwords with Node's own argon2id, on Node's thread pool. It computes at most two hashes at once. Its methods
 * throw `UnavailableError` if the call has waited for 2 s, or if 100 calls wait already and no other source has more of
 * them.
 */
export class PasswordHasher {
  readonly #derive: DeriveTag;
  readonly #limit = createSemaphore(limits);
  readonly #decoyHash = formatPhc(randomBytes(saltBytes), randomBytes(tagBytes));

  constructor(derive: DeriveTag = deriveArgon2id) {
    this.#derive = derive;
  }

  /** Returns the hash in PHC string format. */
  hash(password: string): Promise<string> {
    return this.#limit(async () => {
      const salt = randomBytes(saltBytes);
      return formatPhc(salt, await this.#derive({ ...cost, message: password, nonce: salt, tagLength: tagBytes }));
    });
  }

  /**
   * Returns whether `password` belongs to the hash `phc`. Pass null for an account that does not exist: the call takes
   * the same time and returns false. `source` says who asks, for example a client address: sources take turns. Throws
   * an `Error` if `phc` is not an argon2id PHC string of version 19.
   */
  verify(password: string, phc: string | null, source: string): Promise<boolean> {
    return this.#limit(async () => {
      const stored = parsePhc(phc ?? this.#decoyHash);
      const tag = await this.#derive({ ...stored.parameters, message: password });
      return timingSafeEqual(tag, stored.tag) && phc !== null;
    }, source);
  }
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

const serviceName = 'widgetservice';
const serviceWords = ['widgets', 'widget', 'service'];
/** How many characters of a password must remain without the words of the e-mail and the service. */
const ownCharactersMin = 6;
/** A password with fewer different characters is a pattern, such as `121212121212`. */
const differentCharactersMin = 5;

/** 49 000 passwords that many people use, in lower case. */
const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common'] as readonly string[]);
const substitutes: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
};

/**
 * Checks a new password of the account with this e-mail. Returns null if the password is accepted, else a text for the
 * user that says why not. NIST SP 800-63B asks for these checks: common passwords, repetitions, the user's name and the
 * service's name. It looks up a few texts in a list, which takes less than a millisecond.
 */
export function findPasswordWeakness(password: string, email: string): string | null {
  const lowerCase = password.toLowerCase();
  if (lowerCase.includes(email.toLowerCase())) return 'The password must not contain your e-mail address.';
  if (lowerCase.replace(/[^a-z]/g, '').includes(serviceName)) {
    return 'The password must not contain the name of the service.';
  }
  const isWeak = isCommon(lowerCase) || isPattern(lowerCase) || consistsOfNames(lowerCase, email.toLowerCase());
  return isWeak ? 'The password is too easy to guess: it is common, or follows a simple pattern.' : null;
}

/** Whether it is a common password, also repeated, with digits or signs around it, or with the usual substitutes. */
function isCommon(lowerCase: string): boolean {
  const core = /\p{L}(?:.*\p{L})?/su.exec(lowerCase)?.[0] ?? '';
  return [lowerCase, core, findRepeatedPart(lowerCase), findRepeatedPart(core)].some(
    (text) =>
      commonPasswords.has(text) || commonPasswords.has(text.replace(/[@431!0$5]/g, (sign) => substitutes[sign] ?? '')),
  );
}

/** Returns the part of which a text is a repetition: of `abcabc` it is `abc`. Returns the text itself if it is none. */
function findRepeatedPart(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1);
  return length === -1 ? text : text.slice(0, length);
}

/** Whether it has few different characters, or each follows the one before it: `abcdefghijkl`. */
function isPattern(text: string): boolean {
  if (new Set(text).size < differentCharactersMin) return true;
  const steps = new Set(Array.from(text.slice(1), (_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index)));
  return steps.size === 1;
}

/** Whether little is left without the words of the e-mail and of the service. */
function consistsOfNames(lowerCase: string, email: string): boolean {
  const names = [...email.split(/[^\p{L}\p{N}]+/u), ...serviceWords].filter((word) => word.length > 2);
  return names.reduce((text, name) => text.replaceAll(name, ''), lowerCase).length < ownCharactersMin;
}
