import type { components } from '../interface.ts';

/**
 * What kind of failure it is, and so what helps:
 *
 * - `caller`: the same call at the same address can never succeed. Another call, address or certificate helps.
 * - `refusal`: the service has said no, for good.
 * - `outage`: nobody has answered, or somebody who cannot answer now. The same call may succeed later.
 */
export type FailureKind = 'caller' | 'refusal' | 'outage';

/** The kind of an error of this library. Null for every other error, for example the reason of an aborted signal. */
export function readFailureKind(error: unknown): FailureKind | null {
  const kind = error instanceof Error && 'kind' in error ? error.kind : null;
  return kind === 'caller' || kind === 'refusal' || kind === 'outage' ? kind : null;
}

/** A wrong argument, for example an address without `https://`. Nothing was sent. */
export class InvalidCallError extends Error {
  override readonly name = 'InvalidCallError';
  readonly kind: FailureKind = 'caller';
}

/** The body of every refusal of the service (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** The service has refused a request. Decide by `code`: it is stable, the texts are not. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The kind of problem, for example `idempotency-key-reused`. */
  readonly code: Problem['code'];
  readonly status: number;
  /** Quote it when you ask for help. */
  readonly requestId: string;
  readonly problem: Problem;

  /** True if the same request may succeed later. Each other refusal stays the same however often you repeat it. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.code === 'request-timeout';
  }

  /** `outage` if it is temporary. */
  get kind(): FailureKind {
    return this.isTemporary ? 'outage' : 'refusal';
  }

  constructor(problem: Problem) {
    super(`${problem.title}: ${problem.detail} (${problem.status} ${problem.code}, request ${problem.requestId})`);
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.requestId;
    this.problem = problem;
  }
}

/** Returns the media type of a response without its parameters, in lower case: its case has no meaning (RFC 9110). */
export function readMediaType({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
}

/** Reads a problem from a response. Returns null if the response has none: a proxy may have sent it. */
export async function readProblem(response: Response): Promise<Problem | null> {
  if (readMediaType(response) !== 'application/problem+json') {
    await response.body?.cancel();
    return null;
  }
  const body: unknown = await response.json().catch(() => null);
  return isProblem(body) && body.status === response.status ? body : null;
}

const textMembers = ['title', 'detail', 'code', 'requestId'] as const;

/** True if the value has the members of a problem of this service. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const { status, errors = [], ...others } = value as Record<string, unknown>;
  return (
    typeof status === 'number' &&
    textMembers.every((name) => typeof others[name] === 'string') &&
    Array.isArray(errors) &&
    errors.every((mistake) => typeof mistake?.detail === 'string')
  );
}

/** Nobody has answered at the address, or not in time, or the connection broke. `cause` is what `fetch` said. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** `caller` if waiting does not help: the certificate is not trusted, or nothing there speaks TLS. */
  readonly kind: FailureKind;
  /** Where nobody has answered, without secrets. */
  readonly address: string;

  constructor(address: string, cause: unknown) {
    const causes = listCauses(cause);
    const isFinal = causes.some(isFinalCause);
    const { code = '', message = '' } = causes.at(-1) ?? {};
    const reason = message.trim() || code || 'the reason is unknown';
    super(`${address} ${isFinal ? 'cannot be reached' : 'does not answer'}: ${reason}`, { cause });
    this.kind = isFinal ? 'caller' : 'outage';
    this.address = address;
  }
}

interface Cause {
  readonly code: string;
  readonly message: string;
}

/** The error and what is behind it: `fetch` itself only says that it has failed. */
function listCauses(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let next = error; next instanceof Error && causes.length < 5; next = next.cause) {
    causes.push({ code: 'code' in next ? String(next.code) : '', message: next.message });
  }
  return causes;
}

/** Node and Bun have codes for what no retry can heal, Deno only says it. Browsers tell nothing. */
function isFinalCause({ code, message }: Cause): boolean {
  return finalCodes.test(code) || finalMessages.test(message);
}

const finalCodes = /CERT|^UNABLE_TO_(?:VERIFY|GET_ISSUER)|^ERR_SSL_WRONG_VERSION_NUMBER$/;
const finalMessages = /^(?:bad port|unknown scheme)$|invalid peer certificate/;

/** What came instead of an answer of the service. */
export interface UnexpectedAnswer {
  /** Where the request was sent to. */
  readonly url: string;
  readonly response: Response;
  /** What the service would have answered, for example `201 application/json`. */
  readonly expected?: string | undefined;
  /** What is wrong with an answer that looks right at first. */
  readonly mistake?: string;
}

/** Something between this client and the service has answered, for example a proxy or a sign-in page of a network. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';
  /** `caller` for a redirect that is permanent: the address must be another one. */
  readonly kind: FailureKind;
  /** 0 for a redirect in a browser: it hides what it is. */
  readonly status: number;
  /** Where the request was sent to, without secrets. */
  readonly address: string;
  /** Where a redirect points, without secrets. Null if the response is no redirect, or if the browser hides it. */
  readonly location: string | null;

  constructor(answer: UnexpectedAnswer) {
    const { url, response } = answer;
    const address = describeAddress(url);
    const location = readLocation(url, response);
    super(isRedirect(response) ? describeRedirect(address, location, response) : describeAnswer(address, answer));
    this.kind = response.status === 301 || response.status === 308 ? 'caller' : 'outage';
    this.status = response.status;
    this.address = address;
    this.location = location;
  }
}

/** True if the response is a redirect, or was reached by one. The service redirects no request of this library. */
export function isRedirect({ type, status, redirected }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function describeRedirect(address: string, location: string | null, { status }: Response): string {
  const target = location === null ? 'elsewhere' : `to ${location}`;
  const code = status >= 300 && status < 400 ? ` (${status})` : '';
  return `${address} redirects ${target}${code}. This is not followed: use the address of the service itself.`;
}

function describeAnswer(address: string, { response, expected, mistake }: UnexpectedAnswer): string {
  const type = readMediaType(response) || 'no content';
  const instead = expected === undefined ? '' : ` instead of ${expected}`;
  const came = `${response.status} ${type}${mistake === undefined ? instead : ` ${mistake}`}`;
  return `Not Widget Service, but something else answers at ${address}: ${came}. Is the address right, or is a proxy in front of it?`;
}

function readLocation(url: string, response: Response): string | null {
  if (!isRedirect(response)) return null;
  const location = response.redirected ? response.url : response.headers.get('location');
  if (location === null || !URL.canParse(location, url)) return null;
  return describeAddress(new URL(location, url));
}

/**
 * Parses an address that requests are sent to. In a browser, it may be relative to the page.
 *
 * @param what Names the address in the error, for example `baseUrl`.
 * @throws {InvalidCallError} if no request can be sent to it.
 */
export function parseAddress(text: string, what: string): URL {
  // Outside browsers there is no location.
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  let url: URL;
  try {
    url = new URL(text, location?.href);
  } catch (cause) {
    throw new InvalidCallError(`${what} is not an address: it must begin with https:// or http://`, { cause });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new InvalidCallError(`${what} must begin with https:// or http://, not with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidCallError(`${what} must not contain a user name or a password`);
  }
  return url;
}

/** The address as an error may show it: without a query, and without a token: `…/events/hooks/…`. */
export function describeAddress(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/(\/events\/(?:hooks\/)?)(?!hooks\/)[^/]+/, '$1…');
}

/** True for an address whose requests everybody on the way can read: `http:` to another machine. */
export function isUnencryptedRemote(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
