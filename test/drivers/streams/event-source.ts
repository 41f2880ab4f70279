import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type {
  CloudEvent,
  ReceivedEvent,
  RecordedConnection,
  RecordedStream,
  StreamMessage,
} from '../cluster/recording.ts';
import { readBlocks } from './read-blocks.ts';

/**
 * Behaves as a browser's EventSource and records everything it receives. It reconnects after every end of a stream. It
 * stays closed after any status other than 200.
 */
export interface RecordingEventSource {
  readonly recorded: RecordedStream;
  /** True while it has a 200 answer that has not ended. */
  readonly isOpen: boolean;
  /** Limits the wait before each reconnection, also the one that it is in. */
  limitRetry(maxMs: number): void;
  close(): void;
}

export interface EventSourceOptions extends Pick<RecordedStream, 'name' | 'subscriptionId' | 'filter'> {
  readonly url: string;
  readonly internEvent: ReturnType<typeof createEventInterner>;
}

/** How long it waits before it reconnects, until a `retry:` field sets another time. */
const defaultRetryMs = 3_000;

/**
 * Opens a stream. Follows the server-sent events of the HTML standard: `retry:`, `Last-Event-ID`, and when to close.
 */
export function openEventSource({ url, internEvent, ...named }: EventSourceOptions): RecordingEventSource {
  const recorded: RecordedStream = { ...named, connections: [], closedBy: null };
  let retryMs = defaultRetryMs;
  let retryMaxMs = Number.POSITIVE_INFINITY;
  let lastEventId = '';
  let timer: NodeJS.Timeout | undefined;
  let request: ClientRequest;
  let isOpen = false;

  function reconnectLater(): void {
    isOpen = false;
    if (recorded.closedBy === null) timer = setTimeout(connect, Math.min(retryMs, retryMaxMs));
  }

  function connect(): void {
    timer = undefined;
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
      if (data === null) return;
      const isWidgetEvent = event.startsWith('widget.');
      connection.blocks.push(isWidgetEvent ? internEvent(id ?? '', data) : toMessage(id ?? '', event, data));
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
    limitRetry: (maxMs) => {
      retryMaxMs = maxMs;
      if (timer === undefined) return;
      clearTimeout(timer);
      reconnectLater();
    },
    close: () => {
      recorded.closedBy ??= 'client';
      clearTimeout(timer);
      request.destroy();
    },
  };
}

const toMessage = (position: string, name: string, data: string) =>
  ({ type: 'message', name, position, data: JSON.parse(data) }) as StreamMessage;

/**
 * Makes a function that returns the same object for the same position and bytes. Hundreds of streams receive the same
 * events, so this bounds the memory of a recording.
 */
export function createEventInterner() {
  const events = new Map<string, ReceivedEvent>();
  return (position: string, data: string): ReceivedEvent => {
    const known = events.get(position);
    if (known !== undefined && known.data === data) return known;
    const parsed = parsePosition(position);
    const event: ReceivedEvent = {
      type: 'event',
      position,
      epoch: parsed?.epoch ?? '',
      seq: parsed?.seq ?? Number.NaN,
      data,
      event: JSON.parse(data) as CloudEvent,
    };
    if (known === undefined) events.set(position, event);
    return event;
  };
}
