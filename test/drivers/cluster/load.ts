import { setTimeout as delay } from 'node:timers/promises';
import type { FaultCluster } from '../../faults/fault-cluster.ts';
import { type Scale, scale } from '../../faults/scale.ts';
import { type ConsoleClient, signIn, testAdmin } from '../app/console-client.ts';
import type { RecordingEventSource } from '../streams/event-source.ts';
import { createStreamTraffic } from '../streams/stream-traffic.ts';
import { watchEventLoopDelay } from '../tools/event-loop-delay.ts';
import { eventually } from '../tools/eventually.ts';
import { watchCpuSteal } from '../tools/stopwatch.ts';
import { createCreateTraffic } from './create-traffic.ts';
import { createHookTraffic, type HookTarget } from './hook-traffic.ts';
import { createPace, type Pace } from './pace.ts';
import { createRecording, type Recording, type TokenRevocation } from './recording.ts';
import { withOrigin } from './service-process.ts';

interface RevocationTrafficOptions {
  readonly client: ConsoleClient;
  readonly recording: Recording;
  readonly streams: Pick<ReturnType<typeof createStreamTraffic>, 'subscribe' | 'open'>;
  /** Called with each integration that will be revoked. */
  readonly onIntegration: (integration: HookTarget & { readonly revocation: TokenRevocation }) => void;
  /** Of the current run of the load. It is aborted when that pauses. */
  readonly readSignal: () => AbortSignal;
}

const streamsPerSubscription = 3;
const openForMs = 1_500;
const repeatAfterMs = 500;
const attemptsMax = 60;

/**
 * Returns functions that each revoke something after 1.5 s, or when the load pauses: a subscription with open streams,
 * and an integration. They repeat the revocation until the service confirms it, at most 60 times.
 */
function createRevocationTraffic({ client, recording, streams, ...options }: RevocationTrafficOptions) {
  async function revoke(path: string, signal: AbortSignal) {
    await delay(openForMs, undefined, { signal }).catch(() => undefined);
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const status = await client.request('DELETE', path).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 204) return { isConfirmed: true, acknowledgedAtMs: performance.now() };
      // Since when it applies on every pod is not known.
      if (status === 404) return { isConfirmed: true, acknowledgedAtMs: null };
      await delay(repeatAfterMs);
    }
    return { isConfirmed: false, acknowledgedAtMs: null };
  }
  // A store may be unavailable. Then these calls revoke nothing.
  return {
    subscription: async (): Promise<void> => {
      const signal = options.readSignal();
      const subscription = await streams.subscribe({}).catch(() => null);
      if (subscription === null) return;
      for (let opened = 0; opened < streamsPerSubscription; opened += 1) streams.open(subscription);
      const confirmed = await revoke(`/api/v1/subscriptions/${subscription.id}`, signal);
      const revocation = { subscriptionId: subscription.id, acknowledgedAtWallMs: Date.now() };
      recording.revocations.push({ ...revocation, ...confirmed });
    },
    integration: async (): Promise<void> => {
      const signal = options.readSignal();
      const issued = await client.createIntegration('revoked').catch(() => null);
      if (issued === null) return;
      const revocation: TokenRevocation = { integrationId: issued.id, acknowledgedAtMs: null };
      recording.tokenRevocations.push(revocation);
      options.onIntegration({ ...issued, revocation });
      ({ acknowledgedAtMs: revocation.acknowledgedAtMs } = await revoke(`/api/v1/integrations/${issued.id}`, signal));
    },
  };
}

export interface LoadOptions extends Partial<Pick<Scale, 'hooksPerSecond' | 'createsPerSecond' | 'streams'>> {
  /** How many subscriptions with open streams, and how many integrations, are revoked per second. 0 means none. */
  readonly revocationsPerSecond?: number;
  /** Of an admin. Default: those of the tests. */
  readonly credentials?: { readonly email: string; readonly password: string };
}

/**
 * Sends requests to a cluster as its clients do, and records the answers. All traffic goes through the load balancer.
 */
export interface Load {
  readonly recording: Recording;
  /** A client that is signed in as an admin. */
  readonly client: ConsoleClient;
  /** All streams that were opened, including those that are closed by now. */
  readonly streams: readonly RecordingEventSource[];
  /** Returns the secrets of this load, which the service must never expose. Of the stream tokens only the first 10. */
  listSecrets(): string[];
  /** Starts or resumes the requests. Streams stay open independently of this. */
  start(): void;
  /** Sends no new requests. Resolves when every open request has ended. Streams stay open. */
  pause(): Promise<void>;
  close(): Promise<void>;
}

const initialWidgets = 20;
/** `listSecrets` returns at most this many of hundreds of stream tokens: the service treats them alike. */
const checkedTokensMax = 10;
const defaultRevocationsPerSecond = 0.5;
const revokedTargets = 3;
const revokedHooksPerSecond = 6;

/** Creates grants and widgets, and opens the streams. Resolves when all are open. The load begins with `start`. */
export async function openLoad(cluster: Pick<FaultCluster, 'url'>, options: LoadOptions = {}): Promise<Load> {
  const { hooksPerSecond, createsPerSecond, streams: streamCount } = { ...scale, ...options };
  const baseUrl = cluster.url;
  const client = await signIn(baseUrl, options.credentials);
  const issued = await client.createIntegration('factory');
  const integration = { ...issued, url: withOrigin({ url: baseUrl }, issued.url), revocation: null };
  const { token: provisionToken } = await client.createProvisionToken('script');
  const recording = createRecording();
  const eventLoopDelay = watchEventLoopDelay();
  const cpuSteal = watchCpuSteal();
  const widgetIds: string[] = [];
  const onCreated = (id: string) => widgetIds.push(id);
  const recorder = { recording, eventLoopDelay, cpuSteal };
  const creates = createCreateTraffic({ baseUrl, provisionToken, client, onCreated, ...recorder });
  const hooks = createHookTraffic({ integration, widgetIds, ...recorder });
  const streams = createStreamTraffic({ baseUrl, client, recording });
  let running = new AbortController();
  /** The last integrations that are revoked. Hooks for one of them go on for some seconds after its revocation. */
  const targets: HookTarget[] = [];
  const revoke = createRevocationTraffic({
    ...{ client, recording, streams },
    onIntegration: (target) => {
      targets.unshift({ ...target, url: withOrigin({ url: baseUrl }, target.url) });
      targets.splice(revokedTargets);
    },
    readSignal: () => running.signal,
  });

  for (let index = 0; index < initialWidgets; index += 1) await creates.create(index);
  await streams.openMany(streamCount, widgetIds);
  await eventually(async () => streams.sources.every(({ isOpen }) => isOpen), 'every stream is open');
  const { revocationsPerSecond = defaultRevocationsPerSecond } = options;
  const paces: readonly Pace[] = [
    createPace(hooksPerSecond, hooks.send),
    createPace(createsPerSecond, (index) => creates.create(initialWidgets + index)),
    createPace(revocationsPerSecond, revoke.subscription),
    createPace(revocationsPerSecond, revoke.integration),
    createPace(revokedHooksPerSecond, async (index) => {
      const target = targets[index % revokedTargets];
      if (target !== undefined) await hooks.send(index, target);
    }),
  ];
  const pause = async () => {
    running.abort();
    await Promise.all(paces.map((pace) => pace.stop()));
  };
  return {
    ...{ recording, client, pause },
    streams: streams.sources,
    listSecrets: () => [
      ...[issued.token, provisionToken, testAdmin.password, client.csrfToken, client.cookie.split('=')[1] ?? ''],
      ...streams.tokens.slice(0, checkedTokensMax),
    ],
    start: () => {
      running = new AbortController();
      for (const pace of paces) pace.start();
    },
    close: async () => {
      streams.closeAll();
      await pause();
      eventLoopDelay.close();
      cpuSteal.close();
      hooks.close();
      creates.close();
    },
  };
}
