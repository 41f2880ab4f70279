import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import type { StreamState } from '@widget-service/client/stream/read-stream.ts';
import { isWidgetEvent, type StreamEvent } from '@widget-service/client/stream/stream-event.ts';
import { useEffect } from 'preact/hooks';
import { service } from '../../service/service.ts';
import { loadSession } from '../../session/session.ts';
import { formatEvent } from './format-event.ts';

export interface SeenEvent {
  readonly key: number;
  readonly event: StreamEvent;
  readonly json: string;
  readonly seenAt: string;
}

/** How many events the page keeps. */
export const keptEvents = 500;
/** The page is renewed at most this often, in milliseconds. */
const renewMs = 200;

interface Events {
  /** Newest first. */
  readonly events: ReadonlySignal<readonly SeenEvent[]>;
  /** How many have come during the pause. */
  readonly waiting: ReadonlySignal<number>;
  readonly state: ReadonlySignal<StreamState['name'] | 'ended'>;
  readonly error: ReadonlySignal<unknown>;
  /** While it is true, `events` does not change. */
  readonly isPaused: Signal<boolean>;
  readonly clear: () => void;
}

/** Reads all events while the component is there. It opens a stream of its own. */
export function useEvents(): Events {
  const events = useSignal<readonly SeenEvent[]>([]);
  const waiting = useSignal(0);
  const state = useSignal<StreamState['name'] | 'ended'>('connecting');
  const error = useSignal<unknown>(null);
  const isPaused = useSignal(false);

  useEffect(() => {
    const left = new AbortController();
    const arrived: SeenEvent[] = [];
    let key = 0;
    const timer = setInterval(() => {
      waiting.value = arrived.length;
      if (isPaused.value || arrived.length === 0) return;
      events.value = [...arrived.splice(0).reverse(), ...events.value].slice(0, keptEvents);
      waiting.value = 0;
    }, renewMs);
    const follow = async () => {
      const onState = ({ name }: StreamState) => (state.value = name);
      for await (const event of service.streamOfSession({ signal: left.signal, onState })) {
        if (!isWidgetEvent(event) && event.type !== 'stream.gap') continue;
        key += 1;
        arrived.push({ key, event, json: formatEvent(event), seenAt: new Date().toISOString() });
        if (arrived.length > keptEvents) arrived.shift();
      }
    };
    follow().catch((reason: unknown) => {
      if (left.signal.aborted) return;
      state.value = 'ended';
      error.value = reason;
      void loadSession();
    });
    return () => {
      left.abort();
      clearInterval(timer);
    };
  }, []);

  const clear = () => {
    events.value = [];
  };
  return { events, waiting, state, error, isPaused, clear };
}
