import { answers } from '../answers.ts';
import { checkCount, checkDuration } from '../delays.ts';
import { InvalidCallError, ProblemError } from './failures.ts';
import { type Answer, type Attempts, globalFetch, type Retry, sendWithRetries } from './send.ts';

/**
 * Keeps the session of a client beyond this process, outside browsers. The text is as secret as a password: its holder
 * is signed in until the session ends.
 */
export interface SessionStore {
  /** Called once, before the first request. Null: there is no session. */
  load(): string | null | Promise<string | null>;
  /** Called whenever what is to be kept has changed, for example when the session has begun. Null: keep nothing. */
  save(session: string | null): void | Promise<void>;
}

/** Where the service is, and how requests are sent to it. */
export interface ClientOptions {
  /** The URL of the service, for example `https://widgets.example.com`. In a browser: the page's own, by default. */
  readonly baseUrl?: string;
  /** `wpt_…`: creates widgets without a session. */
  readonly provisionToken?: string;
  /** Keeps the session beyond this process. By default it ends with the client, or with the browser's session. */
  readonly sessionStore?: SessionStore;
  /** How often a request is sent at most. Default: 5. */
  readonly maxAttempts?: number;
  /** How long each attempt of a request may take, in milliseconds. Default: 15 000. */
  readonly timeoutMs?: number;
  /** Called before each wait for another attempt, with the reason. */
  readonly onRetry?: (retry: Retry) => void;
  /** Sends the requests, also those of streams. By default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** These change nothing, and need no CSRF token. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Sends requests to the service with the credentials that they need: the provision token, or the session's cookie and
 * CSRF token. Keeps both on its own, from the response to the sign-in.
 */
export class ServiceFetch {
  readonly #baseUrl: URL;
  readonly #options: ClientOptions;
  readonly #fetch: typeof globalThis.fetch;
  readonly #attempts: Attempts;
  readonly #cookies = new CookieJar();
  #csrfToken: string | null = null;
  #restored: Promise<void> | null = null;
  #saved: string | null = null;

  /** @param baseUrl The address of the service, without a path of an operation, with a slash at the end. */
  constructor(baseUrl: URL, options: ClientOptions) {
    this.#baseUrl = baseUrl;
    this.#options = options;
    this.#fetch = options.fetch ?? globalFetch;
    this.#attempts = {
      maxAttempts: checkCount('maxAttempts', options.maxAttempts ?? 5, 1),
      timeoutMs: checkDuration('timeoutMs', options.timeoutMs ?? 15_000),
      onRetry: options.onRetry,
    };
  }

  /**
   * As `fetch`, but rejects if the service refuses the request, and if something else answers it.
   *
   * @param answer What the service answers when it succeeds.
   */
  readonly fetch = async (request: Request, answer?: Answer): Promise<Response> => {
    const isSignIn = request.method === 'POST' && new URL(request.url).pathname.endsWith('/api/v1/session');
    const needsCsrfToken = !safeMethods.has(request.method) && !isSignIn && !this.#hasProvisionToken(request);
    try {
      if (needsCsrfToken && this.#csrfToken === null) await this.#refreshCsrfToken(request.signal);
      return await this.#send(request, needsCsrfToken, answer);
    } catch (error) {
      // Another tab has signed in again, so the token belongs to an ended session.
      if (!needsCsrfToken || !(error instanceof ProblemError) || error.code !== 'csrf-token-invalid') throw error;
      await this.#refreshCsrfToken(request.signal);
      return await this.#send(request, true, answer);
    }
  };

  /** Of the session. */
  get streamUrl(): string {
    return new URL('api/v1/session/stream', this.#baseUrl).href;
  }

  /** As `fetch` of the runtime, once, with the session's cookie: the credential of a stream of the session. */
  readonly fetchStream = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(input, { ...init, credentials: 'same-origin' });
    const cookie = this.#cookies.format();
    if (cookie !== null) setHeader(request, 'cookie', cookie, 'The kept session');
    return this.#fetch(request);
  };

  async #send(request: Request, withCsrfToken: boolean, answer?: Answer): Promise<Response> {
    this.#restored ??= this.#restoreSession();
    await this.#restored;
    const copy = new Request(request.clone());
    const { provisionToken } = this.#options;
    if (this.#hasProvisionToken(request))
      setHeader(copy, 'authorization', `Bearer ${provisionToken}`, 'provisionToken');
    if (withCsrfToken && this.#csrfToken !== null) copy.headers.set('x-csrf-token', this.#csrfToken);
    const cookie = this.#cookies.format();
    if (cookie !== null) setHeader(copy, 'cookie', cookie, 'The kept session');
    const response = await sendWithRetries(copy, this.#fetch, this.#attempts, answer);
    this.#cookies.update(response.headers);
    await this.#saveSession();
    await this.#keepCsrfToken(request, response);
    return response;
  }

  async #restoreSession(): Promise<void> {
    this.#saved = (await this.#options.sessionStore?.load()) ?? null;
    if (this.#saved !== null) this.#cookies.restore(this.#saved);
  }

  async #saveSession(): Promise<void> {
    const session = this.#cookies.format();
    if (session === this.#saved) return;
    this.#saved = session;
    await this.#options.sessionStore?.save(session);
  }

  /** The service accepts the token for one operation, and ignores it on all others. */
  #hasProvisionToken({ method, url }: Request): boolean {
    const isCreate = method === 'POST' && new URL(url).pathname.endsWith('/api/v1/widgets');
    return isCreate && this.#options.provisionToken !== undefined;
  }

  async #refreshCsrfToken(signal: AbortSignal): Promise<void> {
    const request = new Request(new URL('api/v1/session', this.#baseUrl), { signal });
    await this.#send(request, false, answers['GET /api/v1/session']);
  }

  /** The responses of sign-in, of a change of the password and of `GET /api/v1/session` hold the token. */
  async #keepCsrfToken({ method, url }: Request, response: Response): Promise<void> {
    if (!/\/api\/v1\/session(?:\/password)?$/.test(new URL(url).pathname)) return;
    if (method === 'DELETE') {
      this.#csrfToken = null;
      return;
    }
    const { csrfToken } = (await response.clone().json()) as { csrfToken?: string };
    this.#csrfToken = csrfToken ?? this.#csrfToken;
  }
}

/** @throws {InvalidCallError} if no header can have the value. It is a secret, so the error does not show it. */
function setHeader({ headers }: Request, name: string, value: string, what: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new InvalidCallError(`${what} has characters that no header can have, for example a line break`);
  }
}

/**
 * Keeps cookies where no browser does. It keeps only what the service needs: names and values, for one service.
 *
 * In a browser it stays empty: there, a script sees no `Set-Cookie`, and the browser sends the cookies.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Takes over what `format` returned once. */
  restore(text: string): void {
    // A person may have kept it in a file, with a line break at its end.
    for (const pair of text.trim().split('; ')) {
      const equals = pair.indexOf('=');
      if (equals > 0) this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
  }

  /** Takes over the cookies that a response sets, and forgets those that it deletes. */
  update(headers: Headers): void {
    for (const line of headers.getSetCookie?.() ?? []) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const equals = pair.indexOf('=');
      if (equals < 1) continue;
      const name = pair.slice(0, equals);
      if (attributes.some(isPast)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(equals + 1));
    }
  }

  /** The value of the header `Cookie`, or null if there are none. */
  format(): string | null {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? null : pairs.join('; ');
  }
}

/** True for an attribute that deletes the cookie. */
function isPast(attribute: string): boolean {
  const [name = '', value = ''] = attribute.split('=');
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0;
  return name.toLowerCase() === 'expires' && Date.parse(value) <= Date.now();
}
