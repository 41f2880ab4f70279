import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { createHookSender, type HookBody } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';

/** The promise: every pod applies a change of a grant within this time after its acknowledgement. */
const boundMs = 2_000;
const streamsPerTokenAndPod = 30;
const hookEveryMs = 50;

type Subscription = Awaited<ReturnType<ConsoleClient['createSubscription']>>;

interface WatchedStream {
  readonly stream: StreamClient;
  /** When it ended, by `performance.now()`; null while it is open. */
  endedAtMs: number | null;
}

let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;
let hookUrl: string;
let widgetIds: string[];
const sender = createHookSender(8);
const traffic = { isStopping: false, ended: Promise.resolve(), refusedStatuses: [] as number[] };

beforeAll(async () => {
  run = await openClusterRun();
  pods = await Promise.all([run.startApi(), run.startApi(), run.startApi()]);
  await run.startWorker();
  client = await signIn(pods[0]!.url);
  hookUrl = (await client.createIntegration('factory')).url;
  widgetIds = await createWidgets(client, 10);
  traffic.ended = keepSending();
});
afterAll(async () => {
  traffic.isStopping = true;
  await traffic.ended;
  sender.close();
  await run.dispose();
});

function buildHook(overrides: Partial<HookBody> = {}): HookBody {
  const occurredAt = new Date().toISOString();
  return { kind: 'updated', occurredAt, payload: { mark: crypto.randomUUID() }, ...overrides };
}

/** Sends hooks to all pods and widgets in rotation until the traffic stops. */
async function keepSending(): Promise<void> {
  for (let n = 0; !traffic.isStopping; n += 1) {
    const { status } = await sender.send(
      withOrigin(pods[n % pods.length]!, hookUrl),
      buildHook({ widgetId: widgetIds[n % widgetIds.length] ?? '' }),
    );
    if (status !== 202) traffic.refusedStatuses.push(status);
    await delay(hookEveryMs);
  }
}

/** Opens `perPod` streams on each pod: one after another on a pod, and on all pods at once. */
async function openStreams(url: string, perPod = streamsPerTokenAndPod): Promise<WatchedStream[]> {
  const openedOnPods = pods.map(async (pod) => {
    const opened: WatchedStream[] = [];
    while (opened.length < perPod) opened.push(await openWatched(withOrigin(pod, url)));
    return opened;
  });
  return (await Promise.all(openedOnPods)).flat();
}

async function openWatched(url: string): Promise<WatchedStream> {
  const watched: WatchedStream = { stream: await openStream(url), endedAtMs: null };
  void watched.stream.ended.then(() => {
    watched.endedAtMs = performance.now();
  });
  await watched.stream.until(() => watched.stream.events.length > 0, 'the first event');
  expect(watched.stream.events[0]?.event).toBe('stream.open');
  return watched;
}

async function expectEnded(streams: readonly WatchedStream[], reason: string, acknowledgedAtMs: number): Promise<void> {
  await Promise.all(streams.map(({ stream }) => stream.ended));
  for (const { stream, endedAtMs } of streams) {
    expect(stream.events.at(-1)).toMatchObject({ event: 'stream.closing', data: JSON.stringify({ reason }) });
    expect((endedAtMs ?? Infinity) - acknowledgedAtMs).toBeLessThanOrEqual(boundMs);
  }
}

/** Asserts that the streams are open and receive a hook that is sent now, and that no hook was refused so far. */
async function expectOpen(streams: readonly WatchedStream[]): Promise<void> {
  const mark = crypto.randomUUID();
  expect((await sender.send(hookUrl, buildHook({ payload: { mark } }))).status).toBe(202);
  await Promise.all(
    streams.map(({ stream }) =>
      stream.until(
        () => stream.widgetEvents().some((event) => event.data.includes(mark)),
        'the event of the marked hook',
      ),
    ),
  );
  expect(streams.filter(({ endedAtMs }) => endedAtMs !== null)).toEqual([]);
  expect(traffic.refusedStatuses).toEqual([]);
}

function closeAll(...groups: readonly WatchedStream[][]): void {
  for (const { stream } of groups.flat()) stream.close();
}

/** Opens the address on every pod and returns the statuses. */
const fetchStatuses = (url: string) =>
  Promise.all(
    pods.map(async (pod) => {
      const stream = await openStream(withOrigin(pod, url));
      stream.close();
      return stream.status;
    }),
  );

async function requestChange(method: string, path: string, status: number, body?: unknown) {
  const response = await client.request(method, path, body);
  const acknowledgedAtMs = performance.now();
  expect(response.status).toBe(status);
  return { acknowledgedAtMs, json: async () => (await response.json()) as { url: string; previousExpiresAt: string } };
}

test('revoking one of three tokens ends its 90 streams on three pods within 2 s; the other 180 stay open', async () => {
  const subscriptions: Subscription[] = [];
  for (const name of ['revoked', 'kept', 'kept too']) subscriptions.push(await client.createSubscription(name));
  const revoked = await openStreams(subscriptions[0]!.url);
  const kept = await openStreams(subscriptions[1]!.url);
  const keptToo = await openStreams(subscriptions[2]!.url);
  await expectOpen([...revoked, ...kept, ...keptToo]);

  const path = `/api/v1/subscriptions/${subscriptions[0]!.id}`;
  const { acknowledgedAtMs } = await requestChange('DELETE', path, 204);
  await expectEnded(revoked, 'revoked', acknowledgedAtMs);
  await expectOpen([...kept, ...keptToo]);
  expect(await fetchStatuses(subscriptions[0]!.url)).toEqual([404, 404, 404]);
  await requestChange('DELETE', path, 404);
  closeAll(kept, keptToo);
});

test('every pod answers 400 to the hooks of a deleted integration within 2 s', async () => {
  const integration = await client.createIntegration('supplier');
  const send = async (pod: ServiceProcess) => (await sender.send(withOrigin(pod, integration.url), buildHook())).status;
  expect(await Promise.all(pods.map(send))).toEqual([202, 202, 202]);
  const { acknowledgedAtMs } = await requestChange('DELETE', `/api/v1/integrations/${integration.id}`, 204);
  const leftMs = boundMs - (performance.now() - acknowledgedAtMs);
  await Promise.all(
    pods.map((pod) => eventually(async () => (await send(pod)) === 400, 'the pod answers 400', leftMs)),
  );
  expect(await Promise.all(pods.map(send))).toEqual([400, 400, 400]);
});

test('a changed filter applies to every open stream within 2 s, and no stream ends', async () => {
  const subscription = await client.createSubscription('filtered');
  const streams = await openStreams(subscription.url, 10);
  await expectOpen(streams);
  const filter = { types: ['widget.retired'], widgetIds: null, states: null, labels: null };
  const { acknowledgedAtMs } = await requestChange('PATCH', `/api/v1/subscriptions/${subscription.id}`, 200, {
    filter,
  });
  await delay(boundMs - (performance.now() - acknowledgedAtMs));
  const countUpdates = () =>
    streams.map(({ stream }) => stream.events.filter(({ event }) => event === 'widget.updated').length);
  const updatesBefore = countUpdates();
  const [retiredId = ''] = await createWidgets(client, 1);
  await delay(10 * hookEveryMs);
  expect((await sender.send(hookUrl, buildHook({ kind: 'retired', widgetId: retiredId }))).status).toBe(202);
  const hasRetirement = ({ stream }: WatchedStream) => stream.widgetEvents().at(-1)?.event === 'widget.retired';
  await Promise.all(streams.map((watched) => watched.stream.until(() => hasRetirement(watched), 'the retirement')));
  expect(countUpdates()).toEqual(updatesBefore);
  expect(streams.filter(({ endedAtMs }) => endedAtMs !== null)).toEqual([]);
  closeAll(streams);
});

test('rotating a token without overlap ends its streams within 2 s, and the new token works on every pod', async () => {
  const subscription = await client.createSubscription('rotated at once');
  const streams = await openStreams(subscription.url, 10);
  const path = `/api/v1/subscriptions/${subscription.id}/rotate`;
  const { acknowledgedAtMs, json } = await requestChange('POST', path, 200, { overlapSeconds: 0 });
  await expectEnded(streams, 'expired', acknowledgedAtMs);
  const { url } = await json();
  expect(await fetchStatuses(subscription.url)).toEqual([404, 404, 404]);
  const renewed = await openStreams(url, 1);
  await expectOpen(renewed);
  closeAll(renewed);
});
