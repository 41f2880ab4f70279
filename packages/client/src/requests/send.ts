import { computeReconnectDelayMs, readRetryAfterMs, wait } from '../delays.ts';
import {
  describeAddress,
  InvalidCallError,
  isRedirect,
  ProblemError,
  readMediaType,
  readProblem,
  type UnexpectedAnswer,
  UnexpectedResponseError,
  UnreachableError,
} from './failures.ts';

/** A wait before the next attempt, and what for. */
export interface Retry {
  /** Why the last attempt has failed. Its message says it in a sentence. */
  readonly error: unknown;
  readonly delayMs: number;
  /** How many attempts have failed by now. */
  readonly attempt: number;
}

/** How a request is sent, and sent again. */
export interface Attempts {
  /** How often a request is sent at most, the first time included. */
  readonly maxAttempts: number;
  /** How long each attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** A browser's `fetch` must be called on the global object. */
export const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** A request, which is sent again until it succeeds. */
interface Sending extends Attempts {
  readonly url: string;
  readonly method: string;
  readonly signal: AbortSignal;
  /** Sends it once. */
  readonly send: (signal: AbortSignal) => Promise<Response>;
  /** Whether it may be sent again although it is not known if the last attempt has done something. */
  readonly isRepeatable: boolean;
  /** What the service answers when it succeeds. Undefined: anything. */
  readonly answer?: Answer | undefined;
  /** What the service would have answered, for the error if something else has answered. */
  readonly expected?: string;
  /** Waits no longer than this for `Retry-After`. */
  readonly longestRetryAfterMs: number;
}

/** Waits this long after the first failure, then twice as long, and so on. */
const firstDelayMs = 500;
/** Waits no longer than this for `Retry-After`: the caller can tell a person what a longer wait is for. */
const longestRetryAfterMs = 10_000;

/**
 * Sends a request until it succeeds, is refused for good, or was sent `maxAttempts` times. Waits between the attempts,
 * never less than `Retry-After`.
 *
 * A request that changes something is only repeated if that cannot change it twice: see {@link isRepeatable}. All other
 * requests are repeated only after a response which says that nothing has happened.
 *
 * @param answer What the service answers when it succeeds. Undefined: anything.
 * @throws {ProblemError} if the service refuses the request.
 * @throws {UnexpectedResponseError} if something else has answered.
 * @throws {UnreachableError} if nobody has answered.
 */
export async function sendWithRetries(
  request: Request,
  fetch: typeof globalThis.fetch,
  attempts: Attempts,
  answer?: Answer,
): Promise<Response> {
  const { url, signal, method } = request;
  // A copy, because the body of a request can be read only once. What it carries is meant for this address only.
  const send = (attempt: AbortSignal) => fetch(new Request(request.clone(), { signal: attempt, redirect: 'manual' }));
  const sending = { ...attempts, url, method, signal, send, answer, longestRetryAfterMs };
  return await sendUntilAnswered({ ...sending, isRepeatable: isRepeatable(request) });
}

/** Sends the same thing until it succeeds. Fails as {@link sendWithRetries} does. */
export async function sendUntilAnswered(sending: Sending): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(sending);
    if (outcome instanceof Response) return outcome;
    const { error, repeat, retryAfterMs } = outcome;
    // The first attempt may have succeeded and its response was lost: then the next one finds nothing.
    const isDeleted = attempt > 1 && sending.method === 'DELETE' && isNotFound(error);
    if (isDeleted) return new Response(null, { status: 204 });
    const isLast = attempt >= sending.maxAttempts || retryAfterMs > sending.longestRetryAfterMs;
    if (isLast || repeat === 'never' || (repeat === 'if-repeatable' && !sending.isRepeatable)) throw error;
    const delayMs = computeReconnectDelayMs({ retryMs: firstDelayMs, failures: attempt, retryAfterMs });
    sending.onRetry?.({ error, delayMs, attempt });
    await wait(delayMs, sending.signal);
  }
}

interface Failure {
  readonly error: Error;
  readonly retryAfterMs: number;
  /** `always`: nothing has happened. `if-repeatable`: it is not known whether something has happened. */
  readonly repeat: 'always' | 'if-repeatable' | 'never';
}

async function sendOnce({ url, signal, send, timeoutMs, answer, expected }: Sending): Promise<Response | Failure> {
  let response: Response;
  try {
    response = await send(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    // The whole body, so that the time-out includes it.
    if (response.ok) response = await readWhole(response);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof InvalidCallError) throw cause;
    const error = new UnreachableError(describeAddress(url), cause);
    return { error, retryAfterMs: 0, repeat: error.kind === 'outage' ? 'if-repeatable' : 'never' };
  }
  if (response.ok) {
    if (answer !== undefined) await checkAnswer(url, response, answer);
    return response;
  }
  const { error, isTemporary, retryAfterMs } = await readRefusal({ url, response, expected });
  if (!isTemporary) return { error, retryAfterMs, repeat: 'never' };
  const hasDoneNothing = error instanceof ProblemError && untouchedCodes.has(error.code);
  return { error, retryAfterMs, repeat: hasDoneNothing ? 'always' : 'if-repeatable' };
}

/** A response that is no success. */
export interface Refusal {
  readonly error: ProblemError | UnexpectedResponseError;
  /** True if the same request may succeed later. */
  readonly isTemporary: boolean;
  readonly retryAfterMs: number;
}

/**
 * Reads a response that is no success. Without a problem of the service, something in front of it has answered. Its 4xx
 * or redirect means that the address leads elsewhere.
 */
export async function readRefusal(answer: UnexpectedAnswer): Promise<Refusal> {
  const { response } = answer;
  const retryAfterMs = readRetryAfterMs(response.headers);
  const problem = await readProblem(response);
  if (problem !== null) {
    const error = new ProblemError(problem);
    return { error, isTemporary: error.isTemporary, retryAfterMs };
  }
  const error = new UnexpectedResponseError(answer);
  return { error, isTemporary: response.status >= 500 || response.status === 429, retryAfterMs };
}

/** The service refuses these requests before it does anything. */
const untouchedCodes: ReadonlySet<string> = new Set(['rate-limited', 'too-many-connections', 'request-timeout']);

/** True if sending the request twice has the effect of sending it once. */
function isRepeatable({ method, headers }: Request): boolean {
  return method !== 'POST' || headers.has('idempotency-key');
}

const isNotFound = (error: Error): boolean => error instanceof ProblemError && error.code === 'not-found';

/**
 * Returns 32 random hexadecimal digits: with them as its key or id, a request is repeatable. `crypto.randomUUID` would
 * do, but browsers have it only on pages that came over HTTPS or from the machine itself.
 */
export function createRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function readWhole(response: Response): Promise<Response> {
  // These statuses may have no body, not even an empty one.
  const body = response.status === 204 || response.status === 304 ? null : await response.arrayBuffer();
  const { status, statusText, headers, redirected, url } = response;
  // A response that is made by hand forgets how it came.
  return Object.defineProperties(new Response(body, { status, statusText, headers }), {
    redirected: { value: redirected },
    url: { value: url },
  });
}

/**
 * The shape of a value in JSON, as far as this library needs it. A type name; `[shape]` for an array; an object with
 * the shapes of its members; `{ '?': shape }` for a value that may be null.
 */
export type Shape = 'any' | 'string' | 'number' | 'boolean' | readonly [Shape] | { readonly [member: string]: Shape };

/** What an operation answers when it succeeds: its statuses, and the shape of the body. Null: it has none. */
export interface Answer {
  readonly statuses: readonly number[];
  readonly body: Shape | null;
}

/**
 * Checks that a successful response is what the service answers to this operation: by its status, its content type and
 * the members of its body. A proxy may answer 200 to everything.
 *
 * @throws {UnexpectedResponseError} if it is not.
 */
async function checkAnswer(url: string, response: Response, { statuses, body }: Answer): Promise<void> {
  const expected = `${statuses.join(' or ')} ${body === null ? 'without content' : 'application/json'}`;
  const text = await response.clone().text();
  const isExpected = body === null ? text === '' : readMediaType(response) === 'application/json';
  if (isRedirect(response) || !statuses.includes(response.status) || !isExpected) {
    throw new UnexpectedResponseError({ url, response, expected });
  }
  if (body === null || hasShape(parse(text), body)) return;
  throw new UnexpectedResponseError({ url, response, mistake: 'that does not answer this request' });
}

/** Undefined for a text that is not JSON: no shape fits that. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * True if the value may be what the service has answered. All members that are there must have the right type. A few
 * may be missing, because a service of an older version lacks what was added later; something else lacks most of them.
 */
export function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === 'any') return true;
  if (typeof shape === 'string') return typeof value === shape;
  if (isArrayShape(shape)) return Array.isArray(value) && value.every((item) => hasShape(item, shape[0]));
  const nullable = shape['?'];
  if (nullable !== undefined) return value === null || hasShape(value, nullable);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = Object.entries(shape);
  const present = members.filter(([name]) => Object.hasOwn(value, name));
  return (
    present.length * 2 >= members.length &&
    present.every(([name, member]) => hasShape((value as Record<string, unknown>)[name], member))
  );
}

/** `Array.isArray` does not narrow readonly tuples. */
function isArrayShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
