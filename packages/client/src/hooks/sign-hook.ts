import { InvalidCallError } from '../requests/failures.ts';

/**
 * Returns the id as a header can have it: with each byte of its UTF-8 as a character of its own. The signature covers
 * the same bytes.
 *
 * @throws {InvalidCallError} if no header can have it.
 */
export function encodeHookId(id: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may have.
  if (id === '' || id !== id.trim() || /[\0-\x1f\x7f]/.test(id)) {
    throw new InvalidCallError(`the id ${JSON.stringify(id)} must be one line without outer spaces`);
  }
  return String.fromCharCode(...new TextEncoder().encode(id));
}

/** The prefix of a signing secret. */
const secretPrefix = 'whsec_';

/** What a signature covers. */
export interface SignedContent {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Signs a hook as Standard Webhooks 1.0 (https://www.standardwebhooks.com) describes it: HMAC-SHA256 over
 * `id.timestamp.body`, with the bytes of the secret behind `whsec_`. Returns the value of `webhook-signature`.
 *
 * @throws {InvalidCallError} if the secret is malformed, or this runtime cannot sign: browsers sign in secure contexts
 * only, which are pages over HTTPS and those of this machine.
 */
export async function signHook(secret: string, { id, timestamp, body }: SignedContent): Promise<string> {
  const base64 = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const bytes = decodeBase64(base64);
  const subtle = findSubtle();
  if (subtle === undefined) throw new InvalidCallError('signing needs HTTPS');
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  try {
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const signature = new Uint8Array(await subtle.sign('HMAC', key, content));
    return `v1,${btoa(String.fromCharCode(...signature))}`;
  } catch (cause) {
    throw new InvalidCallError('this runtime cannot sign with HMAC-SHA256', { cause });
  }
}

/** Whether this runtime signs: see `signHook`. */
export function isSigningPossible(): boolean {
  return findSubtle() !== undefined;
}

const findSubtle = (): typeof crypto.subtle | undefined => globalThis.crypto?.subtle;

/** The secret is not shown by the error. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (bytes.length > 0) return bytes;
  } catch {
    // The error below says what is wrong with it.
  }
  throw new InvalidCallError('the signing secret must be whsec_ and Base64');
}
