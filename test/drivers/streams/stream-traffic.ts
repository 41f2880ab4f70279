import { randomUUID } from 'node:crypto';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { ConsoleClient } from '../app/console-client.ts';
import type { Recording } from '../cluster/recording.ts';
import { withOrigin } from '../cluster/service-process.ts';
import { createEventInterner, openEventSource, type RecordingEventSource } from './event-source.ts';

export interface StreamTrafficOptions {
  readonly baseUrl: string;
  readonly client: ConsoleClient;
  readonly recording: Recording;
}

export interface IssuedSubscription {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  readonly filter: EventFilter;
}

/** Below the limit of streams per token on one pod, in case all of them connect to the same pod. */
const streamsPerSubscription = 50;
/** This many of ten streams have no filter. */
const unfilteredOfTen = 6;

/** Opens streams and records them. */
export function createStreamTraffic({ baseUrl, client, recording }: StreamTrafficOptions) {
  const internEvent = createEventInterner();
  const sources: RecordingEventSource[] = [];
  const tokens: string[] = [];

  async function subscribe(filter: Partial<EventFilter>): Promise<IssuedSubscription> {
    const name = `subscription ${randomUUID()}`;
    const response = await client.request('POST', '/api/v1/subscriptions', { name, filter });
    if (response.status !== 201) throw new Error(`subscriptions answered ${response.status}`);
    const issued = (await response.json()) as { id: string; token: string; url: string };
    tokens.push(issued.token);
    return { ...issued, filter: { ...noFilter, ...filter } };
  }

  function open({ id, url, filter }: IssuedSubscription): RecordingEventSource {
    const source = openEventSource({
      name: `stream ${sources.length}`,
      subscriptionId: id,
      filter,
      url: withOrigin({ url: baseUrl }, url),
      internEvent,
    });
    sources.push(source);
    recording.streams.push(source.recorded);
    return source;
  }

  return {
    sources: sources as readonly RecordingEventSource[],
    /** The tokens of all subscriptions. */
    tokens: tokens as readonly string[],
    subscribe,
    open,
    /** Opens `count` streams: six of ten without a filter, the others with each kind of filter in rotation. */
    openMany: async (count: number, widgetIds: readonly string[]): Promise<void> => {
      const filters: Partial<EventFilter>[] = [
        { types: ['widget.retired'] },
        { states: ['active'] },
        { labels: ['line-1', 'line-3'] },
        { widgetIds: widgetIds.slice(0, 5) },
      ];
      const unfiltered = Math.ceil((count * unfilteredOfTen) / 10);
      const unfilteredTokens = Math.ceil(unfiltered / streamsPerSubscription);
      const withoutFilter = await Promise.all(Array.from({ length: unfilteredTokens }, () => subscribe({})));
      const withFilter = await Promise.all(filters.map(subscribe));
      for (let index = 0; index < count; index += 1) {
        const subscriptions = index < unfiltered ? withoutFilter : withFilter;
        const subscription = subscriptions[index % subscriptions.length];
        if (subscription !== undefined) open(subscription);
      }
    },
    closeAll: () => {
      for (const source of sources) source.close();
    },
  };
}
