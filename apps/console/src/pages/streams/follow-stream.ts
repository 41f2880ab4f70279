import { type ReadonlySignal, useSignal } from '@preact/signals';
import {
  isWidgetEvent,
  parseStreamEvent,
  type StreamClosingEvent,
  type StreamEvent,
  type StreamOpenEvent,
} from '@widget-service/client/stream/stream-event.ts';
import { useEffect, useRef } from 'preact/hooks';
import { service } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { loadSession } from '../../session/session.ts';
import { formatEvent } from './stream-events.ts';

/** `silent`: a heartbeat is overdue. `waiting`: it connects again after a while. `ended`: it does not. */
export type StreamStateName = 'connecting' | 'open' | 'silent' | 'waiting' | 'ended';

/** Why a stream cannot be followed by its URL. */
type StreamFailure = 'invalid' | 'refused';

/** Told what happens on a stream. */
interface StreamObserver {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: StreamStateName) => void;
  /** The stream has ended for good. */
  readonly onFailure: (reason: unknown) => void;
}

/** Follows a stream until the signal is aborted. */
export type FollowStream = (observer: StreamObserver, signal: AbortSignal) => void;

/** Follows all events with the session of this browser. */
export const followWithSession: FollowStream = ({ onEvent, onState, onFailure }, signal) => {
  const follow = async () => {
    for await (const event of service.streamOfSession({ signal, onState: ({ name }) => onState(name) })) onEvent(event);
  };
  follow().catch((reason: unknown) => {
    if (signal.aborted) return;
    onState('ended');
    onFailure(reason);
    void loadSession();
  });
};

const names = ['widget.created', 'widget.updated', 'widget.retired', 'stream.open', 'stream.gap', 'stream.closing'];

/** Follows a stream by its secret URL as a page of a developer does: with the `EventSource` of the browser. */
export function followByUrl(url: string): FollowStream {
  return ({ onEvent, onState, onFailure }, signal) => {
    const source = new EventSource(url);
    signal.addEventListener('abort', () => source.close());
    onState('connecting');
    source.addEventListener('open', () => onState('open'));
    source.addEventListener('error', () => {
      const isOver = source.readyState === EventSource.CLOSED;
      onState(isOver ? 'ended' : 'waiting');
      if (isOver) void findFailure(url, signal).then(onFailure);
    });
    for (const name of names) {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        // An `EventSource` repeats the last id for a message without one.
        const event = parseStreamEvent({ name, id: name === 'stream.closing' ? '' : lastEventId, data });
        if (event !== null) onEvent(event);
      });
    }
  };
}

/** An `EventSource` does not say why it was refused, but a `HEAD` request does. */
async function findFailure(url: string, signal: AbortSignal): Promise<StreamFailure> {
  const response = await fetch(url, { method: 'HEAD', signal }).catch(() => null);
  return response?.status === 404 ? 'invalid' : 'refused';
}

/** Whether a page that lists events shows this one. */
function isShown(event: StreamEvent): event is Exclude<StreamEvent, StreamClosingEvent> {
  return isWidgetEvent(event) || event.type === 'stream.gap';
}

export interface SeenEvent {
  readonly key: number;
  readonly event: StreamEvent;
  readonly json: string;
  readonly seenAtMs: number;
}

/** A lone event shows at once. While more come, the list is renewed this often, in milliseconds: each time costs. */
const renewMs = 500;

interface EventsOptions {
  readonly follow: FollowStream;
  /** What tells streams apart: the page follows another one when it changes. */
  readonly streamKey: string;
  /** How many events the page keeps. */
  readonly kept: number;
  /** While it is true, `events` does not change. */
  readonly isPaused?: boolean;
  /** Leaves out the events for which it is false. Default: none. */
  readonly passes?: (event: StreamEvent) => boolean;
}

interface Events {
  /** Newest first. */
  readonly events: ReadonlySignal<readonly SeenEvent[]>;
  /** How many have come during the pause. */
  readonly waiting: ReadonlySignal<number>;
  readonly state: ReadonlySignal<StreamStateName>;
  /** The first message of the stream, or null before it. */
  readonly opening: ReadonlySignal<StreamOpenEvent | null>;
  /** Why the stream has ended, or null. */
  readonly failure: ReadonlySignal<unknown>;
  readonly clear: () => void;
}

/** Reads the events of a stream while the component is there. It opens a stream of its own. */
export function useEvents(options: EventsOptions): Events {
  const events = useSignal<readonly SeenEvent[]>([]);
  const waiting = useSignal(0);
  const state = useSignal<StreamStateName>('connecting');
  const opening = useSignal<StreamOpenEvent | null>(null);
  const failure = useSignal<unknown>(null);
  const latest = useRef(options);
  latest.current = options;
  const renewNow = useRef(() => {});

  useEffect(() => {
    const left = new AbortController();
    const arrived: SeenEvent[] = [];
    let key = 0;
    events.value = [];
    opening.value = null;
    failure.value = null;
    state.value = 'connecting';
    let timer: ReturnType<typeof setTimeout> | null = null;
    let renewedAtMs = 0;
    const renew = () => {
      timer = null;
      renewedAtMs = performance.now();
      const { isPaused = false, kept } = latest.current;
      waiting.value = isPaused ? arrived.length : 0;
      if (isPaused || arrived.length === 0) return;
      events.value = [...arrived.splice(0).reverse(), ...events.value].slice(0, kept);
    };
    renewNow.current = renew;
    const renewSoon = () => {
      timer ??= setTimeout(renew, Math.max(0, renewedAtMs + renewMs - performance.now()));
    };
    const onEvent = (event: StreamEvent) => {
      if (event.type === 'stream.open') opening.value = event;
      const { passes = () => true, kept } = latest.current;
      if (!isShown(event) || !passes(event)) return;
      key += 1;
      arrived.push({ key, event, json: formatEvent(event), seenAtMs: readServiceMs() });
      if (arrived.length > kept) arrived.shift();
      renewSoon();
    };
    const onState = (name: StreamStateName) => (state.value = name);
    options.follow({ onEvent, onState, onFailure: (reason) => (failure.value = reason) }, left.signal);
    return () => {
      left.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [options.streamKey]);
  // The end of a pause shows what has waited.
  useEffect(() => renewNow.current(), [options.isPaused]);

  const clear = () => {
    events.value = [];
  };
  return { events, waiting, state, opening, failure, clear };
}
