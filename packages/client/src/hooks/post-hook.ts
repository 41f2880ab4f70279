import { readRetryAfterMs } from '../delays.ts';
import { describeAddress } from '../requests/address.ts';
import { InvalidCallError, ProblemError, readProblem, UnreachableError } from '../requests/failures.ts';
import { UnexpectedResponseError } from '../requests/unexpected-response-error.ts';

/** Where hooks are posted to, and how. */
export interface HookTarget {
  readonly url: string;
  /** `whsec_…`, if the integration requires signatures. */
  readonly secret: string | undefined;
  readonly timeoutMs: number;
  /** The clock of signatures, in milliseconds since 1970. */
  readonly now: () => number;
  readonly fetch: typeof globalThis.fetch;
}

export type PostOutcome =
  | { readonly status: 'accepted'; readonly eventId: string }
  /** The hook will never be accepted like this. */
  | { readonly status: 'refused'; readonly error: Error }
  /** Another attempt may succeed. */
  | { readonly status: 'failed'; readonly error: Error; readonly retryAfterMs: number };

/** Posts a hook once. Rejects with the signal's reason if that is aborted, and as `signHook` does. */
export async function postHook(
  { url, secret, timeoutMs, now, fetch }: HookTarget,
  { id, body }: { readonly id: string; readonly body: string },
  closed: AbortSignal,
): Promise<PostOutcome> {
  const timestamp = Math.floor(now() / 1_000);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': encodeHookId(id),
    'webhook-timestamp': String(timestamp),
  };
  if (secret !== undefined) headers['webhook-signature'] = await signHook(secret, { id, timestamp, body });
  const signal = AbortSignal.any([closed, AbortSignal.timeout(timeoutMs)]);
  const init: RequestInit = { method: 'POST', headers, body, credentials: 'omit', redirect: 'manual', signal };
  try {
    return await readOutcome(url, await fetch(url, init));
  } catch (cause) {
    closed.throwIfAborted();
    const error = new UnreachableError(describeAddress(url), cause);
    return error.kind === 'outage' ? { status: 'failed', error, retryAfterMs: 0 } : { status: 'refused', error };
  }
}

async function readOutcome(url: string, response: Response): Promise<PostOutcome> {
  if (response.status === 202) return readAcceptance(url, response);
  const retryAfterMs = readRetryAfterMs(response.headers);
  const problem = await readProblem(response);
  if (problem !== null) {
    const error = new ProblemError(problem);
    return error.isTemporary ? { status: 'failed', error, retryAfterMs } : { status: 'refused', error };
  }
  const error = new UnexpectedResponseError({ url, response, expected });
  // Without a problem of the service, a proxy has answered. Its 4xx or redirect means that the URL leads elsewhere.
  if (response.status >= 500 || response.status === 429) return { status: 'failed', error, retryAfterMs };
  return { status: 'refused', error };
}

const expected = '202 without content';

/** Something else than the service may accept everything as well. */
async function readAcceptance(url: string, response: Response): Promise<PostOutcome> {
  const eventId = response.headers.get('webhook-event-id') ?? '';
  const text = await response.text();
  if (eventId !== '' && text === '' && !response.redirected) return { status: 'accepted', eventId };
  const mistake = 'that does not answer this request';
  return { status: 'refused', error: new UnexpectedResponseError({ url, response, mistake }) };
}

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
 * @throws {InvalidCallError} if the secret is none, or this is a page over plain HTTP: browsers sign in secure contexts
 *   only, which are pages over HTTPS and those of this machine.
 */
export async function signHook(secret: string, { id, timestamp, body }: SignedContent): Promise<string> {
  const base64 = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const bytes = decodeBase64(base64);
  const subtle = findSubtle();
  if (subtle === undefined) throw new InvalidCallError('signing needs HTTPS');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await subtle.sign('HMAC', key, content));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
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
