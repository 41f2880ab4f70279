import { computeReconnectDelayMs, wait } from '../delays.ts';
import { readFailureKind } from '../requests/failures.ts';
import { type ReadWidgetPage, type WidgetPage, type WidgetPageQuery, walkWidgetPages } from '../requests/list-pages.ts';
import type { Retry } from '../requests/retry.ts';
import { readStream, type StreamOptions, type StreamState, type StreamUrl } from '../stream/read-stream.ts';
import { isWidgetEvent, type Position } from '../stream/stream-event.ts';
import type { LiveWidget } from './live-widget.ts';
import { Pauses } from './pauses.ts';
import { type WidgetChange, WidgetCollection } from './widget-collection.ts';

/** What a live collection holds, and how it reads it. */
export interface LiveWidgetsOptions {
  /** Which widgets the collection holds. By default: all. */
  readonly filter?: {
    readonly state?: 'active' | 'retired';
    /** Widgets with any of these labels. */
    readonly labels?: readonly string[];
  };
  /** How many widgets each request of the list reads: 1 to 200, by default 200. */
  readonly pageSize?: number;
  /** Called before each wait for another read or connection. `error` is null after an orderly end of the stream. */
  readonly onRetry?: (retry: Retry) => void;
  readonly signal?: AbortSignal;
}

/** Where a live collection reads from. */
export interface LiveWidgetsSource {
  readonly readPage: ReadWidgetPage;
  /** The stream must not leave out events of widgets that pass the filter. */
  readonly streamUrl: StreamUrl;
  /** How to open streams. */
  readonly streamOptions?: Pick<StreamOptions, 'fetch' | 'transport' | 'openTimeoutMs'>;
}

/**
 * - `loading`: the first load is not complete; the collection is empty.
 * - `live`: it follows the stream.
 * - `stale`: the stream is interrupted, silent or paused, or events are missing and a new load runs. It shows what it
 *   knew.
 * - `failed`: it cannot go on, for example because the session has ended. `error` says why.
 * - `closed`: your code has closed it.
 */
export type LiveWidgetsState = 'loading' | 'live' | 'stale' | 'failed' | 'closed';

/** Told of changes. The list is empty if only the state has changed, or a load has read another page. */
export type LiveWidgetsListener = (changes: readonly WidgetChange[]) => void;

/** The most that the service allows. */
const defaultPageSize = 200;
/** After a longer pause it loads the list again: that is less than all events of the pause. */
const longPauseMs = 300_000;
/** Used until a service says otherwise, when a page cannot be read. */
const retryMs = 2_000;

/**
 * A copy of the widgets that stays right: it reads the list once, follows the stream from exactly there, and reads the
 * list again after a gap. It goes on through restarts of the service and through the end of a stream's URL.
 *
 * Close it when you do not need it any more.
 */
export class LiveWidgets {
  readonly #source: LiveWidgetsSource;
  readonly #options: LiveWidgetsOptions;
  readonly #collection: WidgetCollection;
  readonly #listeners = new Set<LiveWidgetsListener>();
  readonly #closed = new AbortController();
  readonly #loaded = new Settleable();
  readonly #pauses = new Pauses();
  #state: LiveWidgetsState = 'loading';
  #error: unknown = null;
  #isStreamOpen = false;

  constructor(source: LiveWidgetsSource, options: LiveWidgetsOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#collection = new WidgetCollection(makeFilter(options.filter));
    options.signal?.addEventListener('abort', this.close, { once: true });
    if (options.signal?.aborted) this.close();
    else void this.#run();
  }

  get state(): LiveWidgetsState {
    return this.#state;
  }

  /** Why the state is `failed`, else null. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when the first load is complete. Rejects if it fails, or if the collection is closed before. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** How many widgets the running load knows by now. 0 while no load runs. */
  get readCount(): number {
    return this.#collection.readCount;
  }

  /** The widget, or undefined if the collection does not hold it. */
  get(id: string): LiveWidget | undefined {
    return this.#collection.get(id);
  }

  /** The widgets, newest first. It is the same array until a widget changes, so that views can compare it. */
  readonly getSnapshot = (): readonly LiveWidget[] => this.#collection.snapshot();

  /** Calls the listener after each change of the widgets or of the state. Returns a function that ends that. */
  readonly subscribe = (listener: LiveWidgetsListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Closes the stream until `resume`, for example while a page is hidden: a browser opens only six connections to a
   * server without HTTP/2. What it shows stays, and is `stale`.
   */
  readonly pause = (): void => this.#pauses.pause();

  /** Follows again: from where it stopped, or after more than five minutes by a new load. */
  readonly resume = (): void => this.#pauses.resume();

  /** Stops following. What it shows stays. */
  readonly close = (): void => {
    if (this.#state === 'failed' || this.#state === 'closed') return;
    this.#options.signal?.removeEventListener('abort', this.close);
    this.#closed.abort();
    this.#loaded.reject(new Error('it was closed'));
    this.#enter('closed');
  };

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    for (let failures = 0; !signal.aborted; ) {
      const end = await this.#loadAndFollow().catch((error: unknown) => ({ error }));
      if (signal.aborted) return;
      if (end !== 'gap' && !isTemporary(end.error)) return this.#fail(end.error);
      this.#isStreamOpen = false;
      this.#enter(this.#judgeState());
      // A gap after a complete load is the only reason to begin at once.
      failures = end === 'gap' && !this.#collection.isLoading ? 0 : failures + 1;
      if (failures === 0) continue;
      const delayMs = computeReconnectDelayMs({ retryMs, failures });
      this.#options.onRetry?.({ error: end === 'gap' ? null : end.error, delayMs, attempt: failures });
      await wait(delayMs, signal).catch(() => undefined);
    }
  }

  /** Reads all pages while it follows the stream. Resolves after a gap: then it must be called again. */
  async #loadAndFollow(): Promise<'gap'> {
    const { filter: { state } = {}, pageSize = defaultPageSize } = this.#options;
    const query = { page: 1, pageSize, ...(state === undefined ? {} : { state }) };
    const first = await this.#source.readPage(query, this.#closed.signal);
    // The pod does not know the end of the event log yet.
    if (first.streamCursor === null) throw new PodNotReadyError();
    this.#collection.beginLoad();
    const abort = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, abort.signal]);
    // If the pages cannot be read, the stream ends with that error. If the stream ends, so does the walk.
    const attempted = new Settleable();
    this.#loadPages(first, attempted.promise, signal).catch((error: unknown) => abort.abort(error));
    try {
      return await this.#followUntilGap(first.streamCursor, attempted.resolve, signal);
    } finally {
      abort.abort();
      attempted.resolve();
    }
  }

  /** @param attempted Resolves when the stream is open, or could not be opened at first. */
  async #loadPages(first: WidgetPage, attempted: Promise<void>, signal: AbortSignal): Promise<void> {
    this.#collection.addRows(first.items);
    const readPage = (query: WidgetPageQuery) => this.#source.readPage(query, signal);
    for await (const page of walkWidgetPages(readPage, first, this.#options.filter?.state)) {
      // A walk that was ended must not add to the load that follows it.
      signal.throwIfAborted();
      this.#collection.addRows(page.items);
      this.#notify([]);
    }
    // So that a collection which works as it should is never `stale` at first.
    await attempted;
    signal.throwIfAborted();
    const changes = this.#collection.finishLoad();
    this.#loaded.resolve();
    this.#enter(this.#judgeState(), changes);
  }

  /** Also resolves after a long pause, as if it were a gap. */
  async #followUntilGap(start: Position, onAttempted: () => void, signal: AbortSignal): Promise<'gap'> {
    let position = start;
    for (;;) {
      const pause = this.#pauses.signal;
      try {
        const follow = this.#follow(position, onAttempted, AbortSignal.any([signal, pause]));
        for await (const next of follow) position = next;
        return 'gap';
      } catch (error) {
        if (signal.aborted || !pause.aborted) throw error;
      }
      this.#isStreamOpen = false;
      onAttempted();
      this.#enter(this.#judgeState());
      if (await this.#pauses.waitWhilePaused(longPauseMs, signal)) return 'gap';
    }
  }

  /** Applies the events of the stream until a gap. Yields the position after each. */
  async *#follow(position: Position, onAttempted: () => void, signal: AbortSignal): AsyncGenerator<Position, void> {
    let attempt = 0;
    const onState = (state: StreamState) => {
      const { name } = state;
      attempt = name === 'waiting' ? attempt + 1 : name === 'open' ? 0 : attempt;
      if (name === 'waiting') this.#options.onRetry?.({ error: state.cause, delayMs: state.delayMs, attempt });
      if (name !== 'connecting') {
        this.#isStreamOpen = name === 'open';
        onAttempted();
      }
      this.#enter(this.#judgeState());
    };
    const options = { ...this.#source.streamOptions, position, signal, onState };
    for await (const event of readStream(this.#source.streamUrl, options)) {
      if (event.type === 'stream.gap') return;
      const change = isWidgetEvent(event) ? this.#collection.apply(event) : null;
      if (change !== null) this.#notify([change]);
      if (event.type !== 'stream.closing') yield event.position;
    }
  }

  #judgeState(): LiveWidgetsState {
    if (!this.#collection.isLoaded) return 'loading';
    return this.#isStreamOpen && !this.#collection.isLoading ? 'live' : 'stale';
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#loaded.reject(error);
    this.#enter('failed');
  }

  #enter(state: LiveWidgetsState, changes: readonly WidgetChange[] = []): void {
    if (this.#state === state && changes.length === 0) return;
    this.#state = state;
    this.#notify(changes);
  }

  #notify(changes: readonly WidgetChange[]): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        // As an event target does: the error of one listener is nobody else's.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** A promise that is settled from outside. Nobody has to handle its rejection. */
class Settleable {
  resolve: () => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.promise.catch(() => undefined);
  }
}

/** Another attempt may succeed. */
class PodNotReadyError extends Error {
  override readonly name = 'PodNotReadyError';

  constructor() {
    super('the service does not know yet where its event log ends');
  }
}

function isTemporary(error: unknown): boolean {
  const kind = readFailureKind(error);
  return kind !== 'caller' && kind !== 'refusal';
}

function makeFilter({ state, labels }: NonNullable<LiveWidgetsOptions['filter']> = {}) {
  return (widget: LiveWidget): boolean =>
    (state === undefined || widget.state === state) &&
    (labels === undefined || widget.labels.some((label) => labels.includes(label)));
}
