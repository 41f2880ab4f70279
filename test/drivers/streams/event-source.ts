import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { RecordedConnection, RecordedStream, StreamMessage } from '../cluster/recording.ts';
import type { InternEvent } from './event-interner.ts';
import { readBlocks } from './read-blocks.ts';

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
    readBlocks(response, ({ id, event, data, retryMs: asked }) => {
      retryMs = asked ?? retryMs;
      lastEventId = id ?? lastEventId;
      if (data !== null) connection.blocks.push(toRecordedBlock(id ?? '', event, data, internEvent));
    });
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

function toRecordedBlock(id: string, event: string, data: string, internEvent: InternEvent) {
  if (event.startsWith('widget.')) return internEvent(id, data);
  return { type: 'message', name: event, position: id, data: JSON.parse(data) } as StreamMessage;
}
