import type { components } from './interface.ts';
import { type Api, createApi } from './requests/api.ts';
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

/**
 * A client of one service, with at most one session. It keeps the session's cookie and CSRF token, repeats what may be
 * repeated, and throws a `ProblemError` for every refusal.
 *
 * @throws {InvalidCallError} if an option cannot be.
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
