import { type PositionStore, readStream, type StreamOptions, type StreamState, type StreamUrl } from './read-stream.ts';
import type { StreamEvent } from './stream-event.ts';

/** The listeners of each event. */
export interface StreamEventMap {
  /** Something that the stream has delivered. */
  readonly message: CustomEvent<StreamEvent>;
  /** The client connects, is open or silent, waits, or has ended. */
  readonly state: CustomEvent<StreamState | { readonly name: 'ended'; readonly error: unknown }>;
}

/** A stream with listeners instead of an iteration. Like `EventSource`, but it resumes and says what it does. */
export interface OpenStream {
  /** As on every event target. The event `message` brings what the stream delivers, `state` what the client does. */
  addEventListener<Name extends keyof StreamEventMap>(
    name: Name,
    listener: (event: StreamEventMap[Name]) => void,
    options?: { readonly once?: boolean; readonly signal?: AbortSignal },
  ): void;
  /** As on every event target. */
  removeEventListener<Name extends keyof StreamEventMap>(
    name: Name,
    listener: (event: StreamEventMap[Name]) => void,
  ): void;
  /** Ends the stream. The last `state` event is `ended`, without an error. */
  close(): void;
}

/**
 * Opens a stream and dispatches `message` and `state`. The first events come after the current code has run, so
 * listeners that are added at once miss none. See {@link readStream}.
 */
export function openStream(url: StreamUrl, options: Omit<StreamOptions, 'onState'> = {}): OpenStream {
  const target = new EventTarget();
  const closed = new AbortController();
  const { signal: outer } = options;
  const signal = outer === undefined ? closed.signal : AbortSignal.any([closed.signal, outer]);
  const dispatch = <Name extends keyof StreamEventMap>(name: Name, detail: StreamEventMap[Name]['detail']) =>
    target.dispatchEvent(new CustomEvent(name, { detail }));
  const onState = (state: StreamState) => dispatch('state', state);
  const run = async () => {
    // Before the first event, the caller adds its listeners.
    await Promise.resolve();
    try {
      for await (const event of readStream(url, { ...options, signal, onState })) {
        dispatch('message', event);
      }
    } catch (error) {
      dispatch('state', { name: 'ended', error: signal.aborted ? null : error });
    }
  };
  void run();
  return Object.assign(target, { close: () => closed.abort() }) as unknown as OpenStream;
}

/** What `localStorage` and `sessionStorage` have in common. */
export interface TextStorage {
  /** As on `localStorage`. */
  getItem(key: string): string | null;
  /** As on `localStorage`. */
  setItem(key: string, value: string): void;
}

/** Keeps the position of a stream in a storage of the browser. Use one key per subscription. */
export function storePositionIn(storage: TextStorage, key: string): PositionStore {
  return {
    load: () => storage.getItem(key),
    save: (position) => storage.setItem(key, position),
  };
}
