import { InvalidCallError } from '../requests/invalid-call-error.ts';

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
 * @throws {InvalidCallError} if the secret is none.
 */
export async function signHook(secret: string, { id, timestamp, body }: SignedContent): Promise<string> {
  const base64 = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const bytes = decodeBase64(base64);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** The secret is not shown by the error. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (bytes.length > 0) return bytes;
  } catch {
    // The error below says what is wrong with it.
  }
  throw new InvalidCallError('the signing secret is no signing secret: it must be whsec_ and Base64');
}
