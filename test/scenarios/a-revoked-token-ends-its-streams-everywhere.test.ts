import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender, type HookBody } from '../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { openStream, type StreamClient } from '../drivers/stream-client.ts';
import { createWidgets } from '../drivers/traffic.ts';

/** What is promised: every pod has carried a change of rights out so long after it was acknowledged. */
const boundMs = 2_000;
const streamsPerTokenAndPod = 30;
const hookEveryMs = 50;

type Subscription = Awaited<ReturnType<ConsoleClient['createSubscription']>>;

interface Watched {
  readonly stream: StreamClient;
  /** On the clock of `performance`; null while it is open. */
  endedAtMs: number | null;
}

let run: ClusterRun;
let pods: ServiceProcess[];
let client: ConsoleClient;
let hookUrl: string;
let widgetIds: string[];
const sender = createHookSender(8);
const traffic = { isOver: false, ended: Promise.resolve(), refused: [] as number[] };

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
  traffic.isOver = true;
  await traffic.ended;
  sender.close();
  await run.dispose();
});

function hook(overrides: Partial<HookBody> = {}): HookBody {
  const occurredAt = new Date().toISOString();
  return { kind: 'updated', occurredAt, payload: { mark: crypto.randomUUID() }, ...overrides };
}

/** Hooks over all pods and widgets, until the traffic is over. */
async function keepSending(): Promise<void> {
  for (let n = 0; !traffic.isOver; n += 1) {
    const { status } = await sender.send(
      onPod(pods[n % pods.length]!, hookUrl),
      hook({ widgetId: widgetIds[n % widgetIds.length] ?? '' }),
    );
    if (status !== 202) traffic.refused.push(status);
    await delay(hookEveryMs);
  }
}

/** So many streams on each pod, opened one after another there. */
async function openStreams(url: string, perPod = streamsPerTokenAndPod): Promise<Watched[]> {
  const lanes = pods.map(async (pod) => {
    const opened: Watched[] = [];
    while (opened.length < perPod) opened.push(await openWatched(onPod(pod, url)));
    return opened;
  });
  return (await Promise.all(lanes)).flat();
}

async function openWatched(url: string): Promise<Watched> {
  const watched: Watched = { stream: await openStream(url), endedAtMs: null };
  void watched.stream.ended.then(() => {
    watched.endedAtMs = performance.now();
  });
  await watched.stream.until(() => watched.stream.events.length > 0, 'the first event');
  expect(watched.stream.events[0]?.event).toBe('stream.open');
  return watched;
}

async function expectEnded(streams: readonly Watched[], reason: string, acknowledgedAtMs: number): Promise<void> {
  await Promise.all(streams.map(({ stream }) => stream.ended));
  for (const { stream, endedAtMs } of streams) {
    expect(stream.events.at(-1)).toMatchObject({ event: 'stream.closing', data: JSON.stringify({ reason }) });
    expect((endedAtMs ?? Infinity) - acknowledgedAtMs).toBeLessThanOrEqual(boundMs);
  }
}

/** Everything that is sent from now on still arrives there. */
async function expectAlive(streams: readonly Watched[]): Promise<void> {
  const mark = crypto.randomUUID();
  expect((await sender.send(hookUrl, hook({ payload: { mark } }))).status).toBe(202);
  await Promise.all(
    streams.map(({ stream }) =>
      stream.until(() => stream.widgetEvents().some((event) => event.data.includes(mark)), 'the marked hook'),
    ),
  );
  expect(streams.filter(({ endedAtMs }) => endedAtMs !== null)).toEqual([]);
  expect(traffic.refused).toEqual([]);
}

function closeAll(...groups: readonly Watched[][]): void {
  for (const { stream } of groups.flat()) stream.close();
}

const statusesOf = (url: string) =>
  Promise.all(
    pods.map(async (pod) => {
      const stream = await openStream(onPod(pod, url));
      stream.close();
      return stream.status;
    }),
  );

async function acknowledged(method: string, path: string, status: number, body?: unknown) {
  const response = await client.request(method, path, body);
  const acknowledgedAtMs = performance.now();
  expect(response.status).toBe(status);
  return { acknowledgedAtMs, json: async () => (await response.json()) as { url: string; previousExpiresAt: string } };
}

it('one of three tokens with 270 streams on three pods is revoked: its 90 end, the others do not notice', async () => {
  const subscriptions: Subscription[] = [];
  for (const name of ['gone', 'kept', 'kept too']) subscriptions.push(await client.createSubscription(name));
  const gone = await openStreams(subscriptions[0]!.url);
  const kept = await openStreams(subscriptions[1]!.url);
  const keptToo = await openStreams(subscriptions[2]!.url);
  await expectAlive([...gone, ...kept, ...keptToo]);

  const path = `/api/v1/subscriptions/${subscriptions[0]!.id}`;
  const { acknowledgedAtMs } = await acknowledged('DELETE', path, 204);
  await expectEnded(gone, 'revoked', acknowledgedAtMs);
  await expectAlive([...kept, ...keptToo]);
  expect(await statusesOf(subscriptions[0]!.url)).toEqual([404, 404, 404]);
  await acknowledged('DELETE', path, 404);
  closeAll(kept, keptToo);
});

it('an integration is deleted: its address takes no hooks on any pod, within the same 2 s', async () => {
  const integration = await client.createIntegration('supplier');
  const send = async (pod: ServiceProcess) => (await sender.send(onPod(pod, integration.url), hook())).status;
  expect(await Promise.all(pods.map(send))).toEqual([202, 202, 202]);
  const { acknowledgedAtMs } = await acknowledged('DELETE', `/api/v1/integrations/${integration.id}`, 204);
  const leftMs = boundMs - (performance.now() - acknowledgedAtMs);
  await Promise.all(pods.map((pod) => eventually(async () => (await send(pod)) === 400, 'the 400', leftMs)));
  expect(await Promise.all(pods.map(send))).toEqual([400, 400, 400]);
});

it('a filter is changed: it holds for every open stream within 2 s, and none has ended for it', async () => {
  const subscription = await client.createSubscription('filtered');
  const streams = await openStreams(subscription.url, 10);
  await expectAlive(streams);
  const filter = { types: ['widget.retired'], widgetIds: null, states: null, labels: null };
  const { acknowledgedAtMs } = await acknowledged('PATCH', `/api/v1/subscriptions/${subscription.id}`, 200, { filter });
  await delay(boundMs - (performance.now() - acknowledgedAtMs));
  const updates = () => streams.map(({ stream }) => stream.events.filter((e) => e.event === 'widget.updated').length);
  const before = updates();
  const [retiredId = ''] = await createWidgets(client, 1);
  await delay(10 * hookEveryMs);
  expect((await sender.send(hookUrl, hook({ kind: 'retired', widgetId: retiredId }))).status).toBe(202);
  const isRetiredTold = ({ stream }: Watched) => stream.widgetEvents().at(-1)?.event === 'widget.retired';
  await Promise.all(streams.map((each) => each.stream.until(() => isRetiredTold(each), 'the retirement')));
  expect(updates()).toEqual(before);
  expect(streams.filter(({ endedAtMs }) => endedAtMs !== null)).toEqual([]);
  closeAll(streams);
});

it('a token is rotated without overlap: streams on the old one end at once, the new one works on every pod', async () => {
  const subscription = await client.createSubscription('rotated at once');
  const streams = await openStreams(subscription.url, 10);
  const path = `/api/v1/subscriptions/${subscription.id}/rotate`;
  const { acknowledgedAtMs, json } = await acknowledged('POST', path, 200, { overlapSeconds: 0 });
  await expectEnded(streams, 'expired', acknowledgedAtMs);
  const { url } = await json();
  expect(await statusesOf(subscription.url)).toEqual([404, 404, 404]);
  const renewed = await openStreams(url, 1);
  await expectAlive(renewed);
  closeAll(renewed);
});

it('a token is rotated with an overlap: both work on every pod, then only the new one', async () => {
  const subscription = await client.createSubscription('rotated');
  const streams = await openStreams(subscription.url, 10);
  const path = `/api/v1/subscriptions/${subscription.id}/rotate`;
  const { json } = await acknowledged('POST', path, 200, { overlapSeconds: 2 });
  const { url, previousExpiresAt } = await json();
  expect(await statusesOf(subscription.url)).toEqual([200, 200, 200]);
  const renewed = await openStreams(url, 10);
  expect(Date.now()).toBeLessThan(Date.parse(previousExpiresAt));
  expect(streams.filter(({ endedAtMs }) => endedAtMs !== null)).toEqual([]);
  const expiresAtMs = Date.parse(previousExpiresAt) - performance.timeOrigin;
  await expectEnded(streams, 'expired', expiresAtMs);
  for (const { endedAtMs } of streams) expect(endedAtMs).toBeGreaterThanOrEqual(expiresAtMs);
  expect(await statusesOf(subscription.url)).toEqual([404, 404, 404]);
  await expectAlive(renewed);
  closeAll(renewed);
});
