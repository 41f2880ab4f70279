import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { RecordedConnection, RecordedStream, StreamMessage } from './recording.ts';
import type { SeenEvents } from './seen-events.ts';

/** A stream as a browser's EventSource keeps it: it comes back by itself after every end, but not after a refusal. */
export interface FaultEventSource {
  readonly recorded: RecordedStream;
  /** Whether it has an answer that has not ended. */
  readonly isOpen: boolean;
  close(): void;
}

export interface EventSourceOptions extends Pick<RecordedStream, 'name' | 'subscriptionId' | 'filter'> {
  readonly url: string;
  readonly seen: SeenEvents;
  /** `?lastEventId=` of the first connection. */
  readonly from?: string;
}

/** What a browser waits before it connects again, as long as no `retry:` told it otherwise. */
const defaultRetryMs = 3_000;

/** Follows the rules of the HTML standard's server-sent events: `retry:`, `Last-Event-ID`, CLOSED on any status but 200. */
export function openEventSource({ url, seen, from, ...named }: EventSourceOptions): FaultEventSource {
  const recorded: RecordedStream = { ...named, connections: [], closedBy: null };
  let retryMs = defaultRetryMs;
  let lastEventId = '';
  let timer: NodeJS.Timeout | undefined;
  let request: ClientRequest;
  let isOpen = false;

  function comeBack(): void {
    isOpen = false;
    if (recorded.closedBy === null) timer = setTimeout(connect, retryMs);
  }

  function connect(): void {
    const asked = lastEventId === '' ? null : lastEventId;
    const first = asked === null && from !== undefined ? `${url}?lastEventId=${from}` : url;
    const headers = { accept: 'text/event-stream', ...(asked === null ? {} : { 'last-event-id': asked }) };
    let isAnswered = false;
    const requestedAtMs = performance.now();
    request = get(first, { headers, agent: false }, (response) => {
      isAnswered = true;
      take(response, asked, requestedAtMs);
    });
    request.on('error', () => undefined);
    // Without an answer the connection was refused or broken off; with one, its end is what counts.
    request.once('close', () => {
      if (!isAnswered) comeBack();
    });
  }

  function take(response: IncomingMessage, asked: string | null, requestedAtMs: number): void {
    isOpen = true;
    response.on('error', () => undefined);
    if (response.statusCode !== 200) {
      isOpen = false;
      recorded.closedBy ??= { status: response.statusCode ?? 0, isOurs: 'x-request-id' in response.headers };
      response.resume();
      return;
    }
    const connection: RecordedConnection = {
      lastEventId: asked ?? from ?? null,
      requestedAtMs,
      openedAtMs: performance.now(),
      endedAtMs: null,
      blocks: [],
    };
    recorded.connections.push(connection);
    const told = (field: { readonly id?: string; readonly retryMs?: number }) => {
      retryMs = field.retryMs ?? retryMs;
      lastEventId = field.id ?? lastEventId;
    };
    readBlocks(response, connection, seen, told);
    response.once('close', () => {
      connection.endedAtMs = performance.now();
      comeBack();
    });
  }

  connect();
  return {
    recorded,
    get isOpen() {
      return isOpen;
    },
    close: () => {
      recorded.closedBy ??= 'client';
      clearTimeout(timer);
      request.destroy();
    },
  };
}

/** Cuts what comes into blocks. What an end leaves unfinished is dropped, as the standard says. */
function readBlocks(
  response: IncomingMessage,
  connection: RecordedConnection,
  seen: SeenEvents,
  told: (field: { readonly id?: string; readonly retryMs?: number }) => void,
): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n', start)) {
      const { id, event, data, retryMs } = parseBlock(rest, start, end);
      start = end + 2;
      if (retryMs !== null) told({ retryMs });
      if (id !== null) told({ id });
      if (data !== null) connection.blocks.push(blockOf(id ?? '', event, data, seen));
    }
    rest = rest.slice(start);
  });
}

function blockOf(id: string, event: string, data: string, seen: SeenEvents) {
  if (event.startsWith('widget.')) return seen(id, data);
  return { type: 'message', name: event, position: id, data: JSON.parse(data) } as StreamMessage;
}

function parseBlock(text: string, start: number, end: number) {
  const block = {
    id: null as string | null,
    event: 'message',
    data: null as string | null,
    retryMs: null as number | null,
  };
  for (let at = start; at < end; ) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 || newline > end ? end : newline;
    if (text.startsWith('id: ', at)) block.id = text.slice(at + 4, lineEnd);
    else if (text.startsWith('event: ', at)) block.event = text.slice(at + 7, lineEnd);
    else if (text.startsWith('data: ', at)) block.data = text.slice(at + 6, lineEnd);
    else if (text.startsWith('retry: ', at)) block.retryMs = Number(text.slice(at + 7, lineEnd));
    at = lineEnd + 1;
  }
  return block;
}
