import { randomUUID } from 'node:crypto';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { ConsoleClient } from './console-client.ts';
import { type FaultEventSource, openEventSource } from './event-source.ts';
import type { Recording } from './recording.ts';
import type { SeenEvents } from './seen-events.ts';
import { onPod } from './service-process.ts';

export interface StreamTrafficOptions {
  readonly baseUrl: string;
  readonly client: ConsoleClient;
  readonly recording: Recording;
  readonly seen: SeenEvents;
}

export interface IssuedSubscription {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly filter: EventFilter;
}

/** Fewer than a token may have on one pod, should all come to the same one. */
const streamsPerSubscription = 50;
/** Of ten streams so many see everything. */
const unfilteredOfTen = 6;

/** Opens streams and keeps them. */
export function createStreamTraffic({ baseUrl, client, recording, seen }: StreamTrafficOptions) {
  const sources: FaultEventSource[] = [];
  const tokens: string[] = [];

  async function subscribe(filter: Partial<EventFilter>): Promise<IssuedSubscription> {
    const name = `subscription ${randomUUID()}`;
    const response = await client.request('POST', '/api/v1/subscriptions', { name, filter });
    if (response.status !== 201) throw new Error(`subscriptions answered ${response.status}`);
    const issued = (await response.json()) as { id: string; token: string; url: string };
    tokens.push(issued.token);
    return { ...issued, filter: { ...noFilter, ...filter } };
  }

  function open({ id, url, filter }: IssuedSubscription, from?: string): FaultEventSource {
    const source = openEventSource({
      name: `stream ${sources.length}`,
      subscriptionId: id,
      filter,
      url: onPod({ url: baseUrl }, url),
      seen,
      ...(from === undefined ? {} : { from }),
    });
    sources.push(source);
    recording.streams.push(source.recorded);
    return source;
  }

  return {
    sources: sources as readonly FaultEventSource[],
    /** The secrets of all subscriptions. */
    tokens: tokens as readonly string[],
    subscribe,
    open,
    /** Opens `count` streams, most without a filter, the others with one of every kind in turn. */
    openMany: async (count: number, widgetIds: readonly string[]): Promise<void> => {
      const filters: Partial<EventFilter>[] = [
        { types: ['widget.retired'] },
        { states: ['active'] },
        { labels: ['line-1', 'line-3'] },
        { widgetIds: widgetIds.slice(0, 5) },
      ];
      const unfiltered = Math.ceil((count * unfilteredOfTen) / 10);
      const wholes = Math.ceil(unfiltered / streamsPerSubscription);
      const everything = await Promise.all(Array.from({ length: wholes }, () => subscribe({})));
      const some = await Promise.all(filters.map(subscribe));
      for (let index = 0; index < count; index += 1) {
        const among = index < unfiltered ? everything : some;
        const subscription = among[index % among.length];
        if (subscription !== undefined) open(subscription);
      }
    },
    closeAll: () => {
      for (const source of sources) source.close();
    },
  };
}
