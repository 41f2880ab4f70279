import { CookieJar } from './cookie-jar.ts';
import { ProblemError } from './problem-error.ts';
import { type RetryOptions, sendWithRetries } from './retry.ts';
import type { SessionStore } from './session-store.ts';

export interface ServiceFetchOptions extends RetryOptions {
  /** The address of the service, without a path of an operation. */
  readonly baseUrl: string;
  /** `wpt_…`: creates widgets without a session. */
  readonly provisionToken?: string;
  /** Where the session is kept, if anywhere. */
  readonly sessionStore?: SessionStore;
}

/** Statuses that may have a request body, and so change something. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Sends requests to the service with the credentials that they need: the provision token, or the session's cookie and
 * CSRF token. Keeps both by itself, from the response to the sign-in.
 */
export class ServiceFetch {
  readonly #options: ServiceFetchOptions;
  readonly #cookies = new CookieJar();
  #csrfToken: string | null = null;
  #restored: Promise<void> | null = null;
  #saved: string | null = null;

  constructor(options: ServiceFetchOptions) {
    this.#options = options;
  }

  /** As `fetch`, but rejects with a {@link ProblemError} if the service refuses the request. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const isSignIn = request.method === 'POST' && new URL(request.url).pathname.endsWith('/api/v1/session');
    const needsCsrfToken = !safeMethods.has(request.method) && !isSignIn && !this.#hasProvisionToken(request);
    try {
      if (needsCsrfToken && this.#csrfToken === null) await this.#refreshCsrfToken(request.signal);
      return await this.#send(request, needsCsrfToken);
    } catch (error) {
      // Another tab has signed in again, so the token belongs to an ended session.
      if (!needsCsrfToken || !(error instanceof ProblemError) || error.code !== 'csrf-token-invalid') throw error;
      await this.#refreshCsrfToken(request.signal);
      return await this.#send(request, true);
    }
  };

  async #send(request: Request, withCsrfToken: boolean): Promise<Response> {
    this.#restored ??= this.#restoreSession();
    await this.#restored;
    const copy = new Request(request.clone());
    if (this.#hasProvisionToken(request)) copy.headers.set('authorization', `Bearer ${this.#options.provisionToken}`);
    if (withCsrfToken && this.#csrfToken !== null) copy.headers.set('x-csrf-token', this.#csrfToken);
    const cookie = this.#cookies.format();
    if (cookie !== null) copy.headers.set('cookie', cookie);
    const response = await sendWithRetries(copy, this.#options);
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
    await this.#send(new Request(new URL('api/v1/session', withSlash(this.#options.baseUrl)), { signal }), false);
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

/** So that a path after it is appended instead of replacing its last part. */
export function withSlash(baseUrl: string): string {
  return baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
}
