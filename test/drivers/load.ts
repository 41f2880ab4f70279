import type { EventFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { FaultCluster } from '../faults/fault-cluster.ts';
import { watchMachine } from '../faults/machine-watch.ts';
import { watchOwnDelay } from '../faults/own-delay.ts';
import { type Scale, scale } from '../faults/scale.ts';
import { type ConsoleClient, signIn, testAdmin } from './console-client.ts';
import { createCreateTraffic } from './create-traffic.ts';
import type { FaultEventSource } from './event-source.ts';
import { eventually } from './eventually.ts';
import { createHookTraffic } from './hook-traffic.ts';
import { createPace, type Pace } from './pace.ts';
import { createRecording, type Recording } from './recording.ts';
import { createRevocationTraffic } from './revocation-traffic.ts';
import { createSeenEvents } from './seen-events.ts';
import { onPod } from './service-process.ts';
import { createStreamTraffic, type IssuedSubscription } from './stream-traffic.ts';

export interface LoadOptions extends Partial<Pick<Scale, 'hooksPerSecond' | 'createsPerSecond' | 'streams'>> {
  /** How often a subscription with open streams is revoked; 0: never. */
  readonly revocationsPerSecond?: number;
}

/** What clients do to a cluster, and the record of what they saw. Everything goes through the balancer. */
export interface Load {
  readonly recording: Recording;
  /** An admin's session. */
  readonly client: ConsoleClient;
  /** The streams that were opened, also those that are closed. */
  readonly streams: readonly FaultEventSource[];
  /** Every secret that the service must not tell. */
  secrets(): string[];
  /** A further subscription, and streams on it; recorded and checked like the others. */
  subscribe(filter?: Partial<EventFilter>): Promise<IssuedSubscription>;
  openStream(subscription: IssuedSubscription, from?: string): FaultEventSource;
  /** Begins, or goes on after `pause`. Streams are open all the time. */
  start(): void;
  /** Sends nothing new; resolves once every request has its end. Streams stay. */
  pause(): Promise<void>;
  close(): Promise<void>;
}

const widgetsAtStart = 20;
const tokensLookedFor = 10;
const defaultRevocationsPerSecond = 0.5;

/** Makes what clients need, opens the streams, and resolves when all are open. Nothing is sent before `start`. */
export async function openLoad(cluster: Pick<FaultCluster, 'url'>, options: LoadOptions = {}): Promise<Load> {
  const { hooksPerSecond, createsPerSecond, streams: streamCount } = { ...scale, ...options };
  const baseUrl = cluster.url;
  const client = await signIn(baseUrl);
  const issued = await client.createIntegration('factory');
  const integration = { ...issued, url: onPod({ url: baseUrl }, issued.url) };
  const { token: provisionToken } = await client.createProvisionToken('script');
  const recording = createRecording();
  const ownDelay = watchOwnDelay();
  const machine = watchMachine();
  const widgetIds: string[] = [];
  const onCreated = (id: string) => widgetIds.push(id);
  const creates = createCreateTraffic({ baseUrl, provisionToken, recording, ownDelay, machine, onCreated });
  const hooks = createHookTraffic({ integration, recording, ownDelay, machine, widgetIds });
  const streams = createStreamTraffic({ baseUrl, client, recording, seen: createSeenEvents() });
  const revoke = createRevocationTraffic({ client, recording, streams });

  for (let index = 0; index < widgetsAtStart; index += 1) await creates.create(index);
  await streams.openMany(streamCount, widgetIds);
  await eventually(async () => streams.sources.every(({ isOpen }) => isOpen), 'every stream is open');
  const paces: readonly Pace[] = [
    createPace(hooksPerSecond, hooks.send),
    createPace(createsPerSecond, (index) => creates.create(widgetsAtStart + index)),
    createPace(options.revocationsPerSecond ?? defaultRevocationsPerSecond, revoke),
  ];
  const pause = async () => {
    await Promise.all(paces.map((pace) => pace.stop()));
  };
  return {
    ...{ recording, client, pause },
    streams: streams.sources,
    secrets: () => [
      ...[issued.token, provisionToken, testAdmin.password, client.csrfToken, client.cookie.split('=')[1] ?? ''],
      // Of hundreds, which are all treated alike.
      ...streams.tokens.slice(0, tokensLookedFor),
    ],
    subscribe: (filter = {}) => streams.subscribe(filter),
    openStream: streams.open,
    start: () => {
      for (const pace of paces) pace.start();
    },
    close: async () => {
      streams.closeAll();
      await pause();
      ownDelay.close();
      machine.close();
      hooks.close();
      creates.close();
    },
  };
}
