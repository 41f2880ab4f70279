import { describeAddress } from './address.ts';
import { type FailureKind, readMediaType } from './failures.ts';

/** What came instead of an answer of the service. */
export interface UnexpectedAnswer {
  /** Where the request was sent to. */
  readonly url: string;
  readonly response: Response;
  /** What the service would have answered, for example `201 application/json`. */
  readonly expected?: string;
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
  /** Where a redirect points, without secrets. Null if it is none, or if the browser hides it. */
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
