import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { StreamEvent, StreamOpenEvent } from '@widget-service/client/stream/stream-event.ts';
import { useEffect, useRef } from 'preact/hooks';
import { readServiceMs } from '../../service/service-clock.ts';
import { type FollowStream, isShown, type StreamStateName } from './follow-stream.ts';
import { formatEvent } from './stream-events.ts';

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
