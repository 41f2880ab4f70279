import {
  isWidgetEvent,
  parseStreamEvent,
  type StreamClosingEvent,
  type StreamEvent,
} from '@widget-service/client/stream/stream-event.ts';
import { service } from '../../service/service.ts';
import { loadSession } from '../../session/session.ts';

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
export function isShown(event: StreamEvent): event is Exclude<StreamEvent, StreamClosingEvent> {
  return isWidgetEvent(event) || event.type === 'stream.gap';
}
