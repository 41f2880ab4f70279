import { computeReconnectDelayMs, readRetryAfterMs, wait } from '../delays.ts';
import { describeAddress } from './address.ts';
import { checkAnswer } from './check-answer.ts';
import { ProblemError, readProblem, UnreachableError } from './failures.ts';
import type { Answer } from './shape.ts';
import { UnexpectedResponseError } from './unexpected-response-error.ts';

/** A wait before the next attempt, and what for. */
export interface Retry {
  /** Why the last attempt has failed. Its message says it in a sentence. */
  readonly error: unknown;
  readonly delayMs: number;
  /** How many attempts have failed by now. */
  readonly attempt: number;
}

export interface RetryOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  /** How often a request is sent at most, the first time included. */
  readonly maxAttempts: number;
  /** How long each attempt may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of each wait before it begins. */
  readonly onRetry?: (retry: Retry) => void;
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
export async function sendWithRetries(request: Request, options: RetryOptions, answer?: Answer): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(request, options, answer);
    if (outcome.status === 'succeeded') return outcome.response;
    // The first attempt may have been carried out though its response was lost.
    if (attempt > 1 && isDeleted(request, outcome.error)) return new Response(null, { status: 204 });
    const isLast = attempt >= options.maxAttempts || outcome.retryAfterMs > longestRetryAfterMs;
    if (isLast || outcome.repeat === 'never' || (outcome.repeat === 'if-repeatable' && !isRepeatable(request))) {
      throw outcome.error;
    }
    const { error, retryAfterMs } = outcome;
    const delayMs = computeReconnectDelayMs({ retryMs: firstDelayMs, failures: attempt, retryAfterMs });
    options.onRetry?.({ error, delayMs, attempt });
    await wait(delayMs, request.signal);
  }
}

type Outcome =
  | { readonly status: 'succeeded'; readonly response: Response }
  | {
      readonly status: 'failed';
      readonly error: unknown;
      readonly retryAfterMs: number;
      /** `always`: nothing has happened. `if-repeatable`: it is not known whether something has happened. */
      readonly repeat: 'always' | 'if-repeatable' | 'never';
    };

async function sendOnce(request: Request, { fetch, timeoutMs }: RetryOptions, answer?: Answer): Promise<Outcome> {
  const { url } = request;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  let response: Response;
  try {
    // A copy, because the body of a request can be read only once. What it carries is meant for this address only.
    response = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
    // The whole body, so that the time-out includes it.
    if (response.ok) response = await readWhole(response);
  } catch (cause) {
    request.signal.throwIfAborted();
    const error = new UnreachableError(describeAddress(url), cause);
    return { status: 'failed', error, retryAfterMs: 0, repeat: error.kind === 'outage' ? 'if-repeatable' : 'never' };
  }
  if (response.ok) {
    if (answer !== undefined) await checkAnswer(url, response, answer);
    return { status: 'succeeded', response };
  }
  return describeRefusal(url, response);
}

async function describeRefusal(url: string, response: Response): Promise<Outcome> {
  const retryAfterMs = readRetryAfterMs(response.headers);
  const problem = await readProblem(response);
  if (problem === null) {
    const error = new UnexpectedResponseError({ url, response });
    const isTemporary = response.status >= 500 || response.status === 429;
    return { status: 'failed', error, retryAfterMs, repeat: isTemporary ? 'if-repeatable' : 'never' };
  }
  const error = new ProblemError(problem);
  if (!error.isTemporary) return { status: 'failed', error, retryAfterMs, repeat: 'never' };
  const hasDoneNothing = untouchedCodes.has(problem.code);
  return { status: 'failed', error, retryAfterMs, repeat: hasDoneNothing ? 'always' : 'if-repeatable' };
}

/** The service refuses these requests before it does anything. */
const untouchedCodes: ReadonlySet<string> = new Set(['rate-limited', 'too-many-connections', 'request-timeout']);

/** True if sending the request twice has the effect of sending it once. */
export function isRepeatable({ method, headers }: Request): boolean {
  return method !== 'POST' || headers.has('idempotency-key');
}

/** A repeated DELETE finds nothing if the attempt before it succeeded. */
function isDeleted({ method }: Request, error: unknown): boolean {
  return method === 'DELETE' && error instanceof ProblemError && error.code === 'not-found';
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
