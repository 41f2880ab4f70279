import createOpenApiClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import { answers } from './answers.ts';
import type { components, paths } from './interface.ts';
import { InvalidCallError, parseAddress } from './requests/failures.ts';
import { readWidgets } from './requests/list-pages.ts';
import { createRandomId, globalFetch } from './requests/send.ts';
import { type ClientOptions, ServiceFetch } from './requests/service-fetch.ts';
import { readStream, type StreamOptions, type StreamUrl } from './stream/read-stream.ts';
import type { StreamEvent } from './stream/stream-event.ts';

type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type Widget = Schemas['Widget'];
export type NewWidget = Schemas['NewWidget'];

export interface ListWidgetsOptions {
  readonly state?: 'active' | 'retired';
  /** How many widgets each request reads: 1 to 200, by default 200. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

export interface CreateWidgetOptions {
  /** Creates at most one widget with this key, however often you call it. By default: a new key for each call. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have the method. */
type PathsWithMethod<Method extends HttpMethod> = {
  [Path in keyof paths]: paths[Path] extends { [Name in Method]: object } ? Path : never;
}[keyof paths];

type RequiredKeysOf<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];

/** The request of an operation is optional where the operation needs nothing. */
type InitArgument<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** What an operation returns: its body, or undefined if it has none. */
type Body<Path extends keyof paths, Method extends HttpMethod, Init> = FetchResponse<
  Extract<paths[Path][Method & keyof paths[Path]], Record<string | number, unknown>>,
  Init,
  'application/json'
>['data'];

type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<Method>,
  Init extends MaybeOptionalInit<paths[Path], Method & keyof paths[Path]>,
>(
  path: Path,
  ...init: InitArgument<Init>
) => Promise<Exclude<Body<Path, Method, Init>, undefined>>;

/**
 * Every operation of the service, typed by its path, from the description of the service itself. Each call returns the
 * body of the response, and throws if the service refuses the request.
 */
export interface Api {
  readonly GET: Call<'get'>;
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly PATCH: Call<'patch'>;
  readonly DELETE: Call<'delete'>;
}

/**
 * A client of one service, with at most one session. It keeps the session's cookie and CSRF token, repeats what may be
 * repeated, and throws a `ProblemError` for every refusal.
 *
 * @throws {InvalidCallError} if an option is invalid.
 */
export class WidgetServiceClient {
  /** Every operation of the service, typed by its path. */
  readonly api: Api;
  readonly #fetch: typeof globalThis.fetch;
  readonly #service: ServiceFetch;

  constructor(options: ClientOptions = {}) {
    const baseUrl = parseAddress(withSlash(options.baseUrl ?? getPageOrigin()), 'baseUrl');
    this.#fetch = options.fetch ?? globalFetch;
    this.#service = new ServiceFetch(baseUrl, options);
    this.api = createApi(baseUrl.href, this.#service.fetch);
  }

  /** Signs in. All later requests of this client belong to that session. */
  signIn(credentials: Schemas['Credentials']): Promise<Session> {
    return this.api.POST('/api/v1/session', { body: credentials });
  }

  /** The session, with its user and permissions. */
  getSession(): Promise<Session> {
    return this.api.GET('/api/v1/session');
  }

  /** Ends the session, on every pod. */
  async signOut(): Promise<void> {
    await this.api.DELETE('/api/v1/session');
  }

  /** Creates one widget, even if responses are lost and the request is repeated. */
  createWidget(widget: NewWidget, { idempotencyKey, signal }: CreateWidgetOptions = {}): Promise<Widget> {
    const header = { 'Idempotency-Key': idempotencyKey ?? createRandomId() };
    return this.api.POST('/api/v1/widgets', { params: { header }, body: widget, ...withSignal(signal) });
  }

  /** Reads one widget. */
  getWidget(id: string): Promise<Widget> {
    return this.api.GET('/api/v1/widgets/{id}', { params: { path: { id } } });
  }

  /**
   * Yields the widgets, newest first. Misses none that existed at the start, yields none twice, and yields none that
   * was created later.
   */
  listWidgets({ state, pageSize = 200, signal }: ListWidgetsOptions = {}): AsyncGenerator<Widget, void, void> {
    const filter = { pageSize, ...(state === undefined ? {} : { state }) };
    return readWidgets(
      (query) => this.api.GET('/api/v1/widgets', { params: { query }, ...withSignal(signal) }),
      filter,
    );
  }

  /** Reads the stream of a subscription. See {@link readStream}. */
  stream(url: StreamUrl, options: StreamOptions = {}): AsyncGenerator<StreamEvent, never, void> {
    return readStream(url, { fetch: this.#fetch, ...options });
  }

  /** Reads all events with the session instead of a subscription. The stream ends when the session does. */
  streamOfSession(options: StreamOptions = {}): AsyncGenerator<StreamEvent, never, void> {
    return readStream(this.#findStreamUrl, { fetch: this.#service.fetchStream, ...options });
  }

  /** Fails as `getSession` does, so that the reader of a stream that has ended learns that the session has, too. */
  readonly #findStreamUrl = async (): Promise<string> => {
    await this.getSession();
    return this.#service.streamUrl;
  };
}

/** Creates a client. In a page of the service itself, it needs no options. */
export function createClient(options: ClientOptions = {}): WidgetServiceClient {
  return new WidgetServiceClient(options);
}

/** The origin of the page. Outside a browser there is none. */
function getPageOrigin(): string {
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  if (location === undefined) throw new InvalidCallError('baseUrl is missing');
  return location.origin;
}

/** So that a path after it is appended instead of replacing its last part. */
function withSlash(baseUrl: string): string {
  return baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Creates the typed operations on top of a fetch that throws for every refusal and every unexpected response. */
function createApi(baseUrl: string, fetch: ServiceFetch['fetch']): Api {
  const client = createOpenApiClient<paths>({ baseUrl });
  const call = (method: keyof Api) => {
    const send = client[method] as (path: string, init?: object) => Promise<{ data?: unknown }>;
    return async (path: string, init?: object) => {
      let isValid = false;
      const fetchAnswer = (request: Request) => {
        isValid = true;
        return fetch(request, answers[`${method} ${path}`]);
      };
      try {
        return (await send(path, { ...init, fetch: fetchAnswer })).data;
      } catch (cause) {
        if (isValid) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new InvalidCallError(`${method} ${path} cannot be sent as it is: ${reason}`, { cause });
      }
    };
  };
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as Api;
}
