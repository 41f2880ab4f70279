import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import {
  type ListedStream,
  type ProcessState,
  type ProcessStates,
  processStateLimits,
  type StreamsBySubscription,
} from '@widget-service/shared/ports/process-states.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Connection } from './fan-out/connection.ts';
import type { Hub } from './fan-out/hub.ts';

/** The most streams in one list: the newest. */
export const listLengthMax = 1_000;

/** A stream of a subscription that is open on some pod. */
export interface OpenStream extends ListedStream {
  /** The pod that holds the stream: its host name and process id. */
  readonly pod: string;
}

/** The open streams of a subscription, as far as the pods list them. */
export interface FoundStreams {
  /** The newest `listLengthMax`, newest first. */
  readonly streams: readonly OpenStream[];
  /** How many there are, also those that are not in `streams`. */
  readonly count: number;
  /** False: a pod has more streams than it lists, so some of this subscription may be missing. */
  readonly isComplete: boolean;
  /** When the oldest of the lists was written. */
  readonly asOf: Date;
}

export interface StreamDirectoryDeps {
  readonly states: Pick<ProcessStates, 'list'>;
  readonly describePod: () => Promise<ProcessState>;
  readonly hub: Pick<Hub, 'connections' | 'endById'>;
  readonly control: Pick<ControlLog, 'announce'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Lists and ends the open streams of a subscription on every pod: those of this pod as they are now, those of the
 * others as they last wrote them (ADR 36). Both throw `UnavailableError`.
 */
export class StreamDirectory {
  readonly #deps: StreamDirectoryDeps;

  constructor(deps: StreamDirectoryDeps) {
    this.#deps = deps;
  }

  async list(subscriptionId: string): Promise<FoundStreams> {
    const { streams, others } = await this.#find(subscriptionId);
    streams.sort((a, b) => b.openedAtMs - a.openedAtMs || (a.id < b.id ? 1 : -1));
    return {
      streams: streams.slice(0, listLengthMax),
      count: streams.length,
      isComplete: others.every(({ isListCut }) => !isListCut),
      asOf: new Date(this.#deps.clock.now().getTime() - Math.max(0, ...others.map(({ ageMs }) => ageMs))),
    };
  }

  /**
   * Ends a stream with `lifetime`: its client may reconnect, unless the subscription is revoked as well. Returns true
   * once it has ended here, or once its pod will read that it must end, and false if no pod lists it.
   */
  async end(subscriptionId: string, streamId: string): Promise<boolean> {
    const { hub, control } = this.#deps;
    const { streams } = await this.#find(subscriptionId);
    if (streams.every(({ id }) => id !== streamId)) return false;
    if (!hub.endById(streamId)) await control.announce({ kind: 'stream', id: streamId, change: 'revoked' });
    return true;
  }

  async #find(subscriptionId: string) {
    const { describePod, states, hub } = this.#deps;
    const [own, written] = await Promise.all([describePod(), states.list(subscriptionId)]);
    const others = written.filter(({ state }) => state.id !== own.id);
    const ownStreams = listStreams(hub, Number.POSITIVE_INFINITY).get(subscriptionId) ?? [];
    const streams = [{ state: own, streams: ownStreams }, ...others].flatMap(({ state, streams: listed }) =>
      listed.map((stream): OpenStream => ({ ...stream, pod: state.name })),
    );
    return { streams, others: others.flatMap(({ state: { pod }, ageMs }) => (pod === null ? [] : { ...pod, ageMs })) };
  }
}

/** Returns the newest streams of subscriptions, at most `max`, for the state of this pod. */
export function listStreams(
  hub: Pick<Hub, 'connections'>,
  max: number = processStateLimits.listedStreams,
): StreamsBySubscription {
  const ofSubscriptions = [...hub.connections()].filter(
    ({ entitlement }) => entitlement.holder.kind === 'subscription',
  );
  // The hub has them in the order of their opening.
  const newest = ofSubscriptions.slice(Math.max(0, ofSubscriptions.length - max));
  const byHolder = Map.groupBy(newest, ({ entitlement }) => entitlement.holder.id);
  return new Map([...byHolder].map(([id, connections]) => [id, connections.map(toListedStream)]));
}

function toListedStream({ id, address, epoch, cursor, openedAtMs, sink }: Connection): ListedStream {
  return {
    id,
    address,
    position: formatPosition({ epoch, ...cursor }),
    openedAtMs,
    sentBytes: sink.sentBytes(),
    unsentBytes: sink.unsentBytes(),
  };
}
