import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { RecordedConnection, RecordedStream, StreamMessage } from '../cluster/recording.ts';
import type { InternEvent } from './event-interner.ts';

/**
 * Behaves as a browser's EventSource and records everything it receives. It reconnects after every end of a stream. It
 * stays closed after any status other than 200.
 */
export interface RecordingEventSource {
  readonly recorded: RecordedStream;
  /** True while it has a 200 answer that has not ended. */
  readonly isOpen: boolean;
  close(): void;
}

export interface EventSourceOptions extends Pick<RecordedStream, 'name' | 'subscriptionId' | 'filter'> {
  readonly url: string;
  readonly internEvent: InternEvent;
}

/** The fields of a block that change the state of an EventSource. */
type StateFields = { readonly id?: string; readonly retryMs?: number };

/** How long it waits before it reconnects, until a `retry:` field sets another time. */
const defaultRetryMs = 3_000;

/**
 * Opens a stream. Follows the server-sent events of the HTML standard: `retry:`, `Last-Event-ID`, and when to close.
 */
export function openEventSource({ url, internEvent, ...named }: EventSourceOptions): RecordingEventSource {
  const recorded: RecordedStream = { ...named, connections: [], closedBy: null };
  let retryMs = defaultRetryMs;
  let lastEventId = '';
  let timer: NodeJS.Timeout | undefined;
  let request: ClientRequest;
  let isOpen = false;

  function reconnectLater(): void {
    isOpen = false;
    if (recorded.closedBy === null) timer = setTimeout(connect, retryMs);
  }

  function connect(): void {
    const sentId = lastEventId === '' ? null : lastEventId;
    const headers = { accept: 'text/event-stream', ...(sentId === null ? {} : { 'last-event-id': sentId }) };
    let isAnswered = false;
    const requestedAtMs = performance.now();
    request = get(url, { headers, agent: false }, (response) => {
      isAnswered = true;
      recordAnswer(response, sentId, requestedAtMs);
    });
    request.on('error', () => undefined);
    // After an answer, the end of the response triggers the reconnection instead.
    request.once('close', () => {
      if (!isAnswered) reconnectLater();
    });
  }

  function recordAnswer(response: IncomingMessage, sentId: string | null, requestedAtMs: number): void {
    isOpen = true;
    response.on('error', () => undefined);
    if (response.statusCode !== 200) {
      isOpen = false;
      recorded.closedBy ??= { status: response.statusCode ?? 0, isOurs: 'x-request-id' in response.headers };
      response.resume();
      return;
    }
    const connection: RecordedConnection = {
      lastEventId: sentId,
      requestedAtMs,
      openedAtMs: performance.now(),
      endedAtMs: null,
      blocks: [],
    };
    recorded.connections.push(connection);
    const onStateFields = (fields: StateFields) => {
      retryMs = fields.retryMs ?? retryMs;
      lastEventId = fields.id ?? lastEventId;
    };
    readBlocks(response, connection, internEvent, onStateFields);
    response.once('close', () => {
      connection.endedAtMs = performance.now();
      reconnectLater();
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

/**
 * Splits the response into blocks. Drops an unfinished block at the end of the stream, as the HTML standard requires.
 */
function readBlocks(
  response: IncomingMessage,
  connection: RecordedConnection,
  internEvent: InternEvent,
  onStateFields: (fields: StateFields) => void,
): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n', start)) {
      const { id, event, data, retryMs } = parseBlock(rest, start, end);
      start = end + 2;
      if (retryMs !== null) onStateFields({ retryMs });
      if (id !== null) onStateFields({ id });
      if (data !== null) connection.blocks.push(toRecordedBlock(id ?? '', event, data, internEvent));
    }
    rest = rest.slice(start);
  });
}

function toRecordedBlock(id: string, event: string, data: string, internEvent: InternEvent) {
  if (event.startsWith('widget.')) return internEvent(id, data);
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
