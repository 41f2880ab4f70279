import { AssertionError } from 'node:assert';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { startStopwatch } from '../tools/stopwatch.ts';
import { readBlocks } from './read-blocks.ts';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** One open stream. */
export interface StreamClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All blocks with data, in order: events and messages about the stream. */
  readonly events: readonly StreamEvent[];
  /** Returns only the events of widgets. */
  widgetEvents(): StreamEvent[];
  /** Returns the last received id, which a browser would send as `Last-Event-ID`. */
  lastEventId(): string;
  /** Resolves when `condition` is true; checks it after every received chunk. Rejects after `withinMs`. */
  until(condition: () => boolean, what: string, withinMs?: number): Promise<void>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface OpenOptions {
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a stream. Resolves when the headers arrive, with any status. */
export function openStream(url: string, options: OpenOptions = {}): Promise<StreamClient> {
  const headers: Record<string, string> = { accept: 'text/event-stream', ...options.headers };
  if (options.lastEventId !== undefined) headers['last-event-id'] = options.lastEventId;
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => resolve(read(request, response)));
    request.once('error', reject);
  });
}

function read(request: ClientRequest, response: IncomingMessage): StreamClient {
  const events: StreamEvent[] = [];
  const waiters = new Set<() => void>();
  let lastId = '';
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  readBlocks(response, ({ id, event, data }) => {
    if (data === null) return;
    events.push({ id: id ?? '', event, data });
    lastId = id || lastId;
  });
  response.on('data', () => {
    for (const check of waiters) check();
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    widgetEvents: () => events.filter(({ event }) => event.startsWith('widget.')),
    lastEventId: () => lastId,
    until: (condition, what, withinMs = 15_000) => waitUntil(waiters, condition, what, withinMs, events),
    ended,
    close: () => request.destroy(),
  };
}

function waitUntil(
  waiters: Set<() => void>,
  condition: () => boolean,
  what: string,
  withinMs: number,
  events: readonly StreamEvent[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (report: () => void) => {
      clearTimeout(timer);
      waiters.delete(check);
      report();
    };
    const check = () => {
      if (condition()) finish(resolve);
    };
    const elapsedMs = startStopwatch();
    const onTimeout = () => {
      const leftMs = withinMs - elapsedMs();
      if (leftMs > 1) {
        timer = setTimeout(onTimeout, leftMs);
        return;
      }
      const last = JSON.stringify(events.at(-1));
      const message = `not within ${withinMs} ms: ${what}; ${events.length} events, the last is ${last}`;
      finish(() => reject(new AssertionError({ message })));
    };
    let timer = setTimeout(onTimeout, withinMs);
    waiters.add(check);
    check();
  });
}
