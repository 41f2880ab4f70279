import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { startStopwatch } from './stopwatch.ts';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** One open stream, read by a parser of its own so that every block is seen as it came. */
export interface StreamClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All blocks with data, in order. */
  readonly events: readonly StreamEvent[];
  /** Only those that tell of widgets. */
  widgetEvents(): StreamEvent[];
  /** The last id seen: what a browser would send as Last-Event-ID. */
  lastEventId(): string;
  /** Resolves once `condition` holds, looking again after every block; rejects after `withinMs`. */
  until(condition: () => boolean, what: string, withinMs?: number): Promise<void>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface OpenOptions {
  readonly lastEventId?: string;
}

/** Opens a stream; resolves with the answer's headers, whatever the status. */
export function openStream(url: string, options: OpenOptions = {}): Promise<StreamClient> {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (options.lastEventId !== undefined) headers['last-event-id'] = options.lastEventId;
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => resolve(read(request, response)));
    request.once('error', reject);
  });
}

function read(request: ClientRequest, response: IncomingMessage): StreamClient {
  const events: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  let lastId = '';
  let rest = '';
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  response.setEncoding('utf8');
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  response.on('data', (text: string) => {
    rest += text;
    let end = rest.indexOf('\n\n');
    let start = 0;
    for (; end !== -1; start = end + 2, end = rest.indexOf('\n\n', start)) {
      const block = parseBlock(rest.slice(start, end));
      if (block === null) continue;
      events.push(block);
      if (block.id !== '') lastId = block.id;
    }
    rest = rest.slice(start);
    for (const look of waiting) look();
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    widgetEvents: () => events.filter((each) => each.event.startsWith('widget.')),
    lastEventId: () => lastId,
    until: (condition, what, withinMs = 15_000) => until(waiting, condition, what, withinMs, events),
    ended,
    close: () => request.destroy(),
  };
}

function until(
  waiting: Set<() => void>,
  condition: () => boolean,
  what: string,
  withinMs: number,
  events: readonly StreamEvent[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (finish: () => void) => {
      clearTimeout(timer);
      waiting.delete(look);
      finish();
    };
    const look = () => {
      if (condition()) done(resolve);
    };
    const elapsedMs = startStopwatch();
    const giveUp = () => {
      const leftMs = withinMs - elapsedMs();
      if (leftMs > 1) {
        timer = setTimeout(giveUp, leftMs);
        return;
      }
      const last = JSON.stringify(events.at(-1));
      done(() => reject(new Error(`not within ${withinMs} ms: ${what}; ${events.length} events, the last ${last}`)));
    };
    let timer = setTimeout(giveUp, withinMs);
    waiting.add(look);
    look();
  });
}

function parseBlock(text: string): StreamEvent | null {
  let id = '';
  let event = 'message';
  let data: string | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data = data === null ? line.slice(6) : `${data}\n${line.slice(6)}`;
  }
  return data === null ? null : { id, event, data };
}
