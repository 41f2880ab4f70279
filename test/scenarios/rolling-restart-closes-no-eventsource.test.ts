import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { buildHooks, createHookSender, type SentHook } from '../drivers/cluster/hook-sender.ts';
import { createPace } from '../drivers/cluster/pace.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';

const clientCount = isLong ? 1_000 : 150;
const tokenCount = 10;
const hooksPerSecond = isLong ? 100 : 40;
/** In the long form each pod drains for half a minute, and one test process reads all the streams. */
const timeout = isLong ? 480_000 : 240_000;
/** The long form uses the default drain times of production. */
const drain: Readonly<Record<string, string>> = isLong ? {} : { DRAIN_DELAY_MS: '1500' };

let cluster: FaultCluster;
let client: ConsoleClient;

beforeAll(async () => {
  const environment = { STREAMS_PER_OWNER: '1000', ...drain };
  cluster = await openFaultCluster({ workers: 2, environment });
  client = await signIn(cluster.url);
});
afterAll(() => cluster.dispose());

const isDense = (seqs: readonly number[]) => seqs.every((seq, index) => index === 0 || seq === seqs[index - 1]! + 1);

test.runIf(isHaproxyInstalled())(
  'a rolling restart of all pods and workers under load closes no EventSource, and none misses an event',
  {
    timeout,
  },
  async () => {
    const widgetIds = await createWidgets(client, 20);
    const integration = await client.createIntegration('factory');
    const urls: string[] = [];
    for (let token = 0; token < tokenCount; token += 1) {
      const subscription = await client.createSubscription(`screens ${token}`);
      urls.push(withOrigin({ url: cluster.url }, subscription.url));
    }
    await eventually(async () => (await cluster.run.countOutboxes()) === 0, 'the creations are published');
    const sources: PackageEventSource[] = Array.from({ length: clientCount }, (_, index) =>
      openPackageEventSource(urls[index % tokenCount] ?? ''),
    );
    await eventually(async () => sources.every(({ opened }) => opened > 0), 'every stream is open', 60_000);

    const sender = createHookSender(8);
    const sent: SentHook[] = [];
    const load = createPace(hooksPerSecond, async (index) => {
      const [hook] = buildHooks([widgetIds[index % widgetIds.length] ?? ''], 1);
      if (hook === undefined) return;
      sent.push(
        await sender.send(withOrigin({ url: cluster.url }, integration.url), { ...hook, payload: { number: index } }),
      );
    });
    load.start();
    for (const slot of [...cluster.pods, ...cluster.workers]) {
      expect(await slot.stop()).toBe(0);
      await slot.start();
      const areAllReady = async () => (await cluster.balancer.listReadyPods()).length === cluster.pods.length;
      await eventually(areAllReady, 'the load balancer sends requests to all pods');
    }
    await load.stop();

    const accepted = sent.filter(({ status }) => status === 202).length;
    await cluster.run.waitUntilProcessed();
    const haveAllEvents = async () => sources.every(({ seqs }) => seqs.length >= accepted);
    await eventually(haveAllEvents, 'every client has as many events as hooks were accepted', 60_000);
    // Unanswered and refused hooks may have taken effect too. So there may be more events than accepted hooks.
    const hasOneEnd = async () => new Set(sources.map(({ seqs }) => seqs.at(-1))).size === 1;
    await eventually(hasOneEnd, 'every client has the same last event', 60_000);
    const reconnections = sources.reduce((sum, { opened }) => sum + opened - 1, 0);
    console.log(
      `${clientCount} clients with ${tokenCount} tokens: ${sent.length} hooks sent, ` +
        `${accepted} accepted, ${reconnections} reconnections`,
    );
    expect(accepted).toBeGreaterThan(0.9 * sent.length);
    expect(sent.filter(({ status }) => status !== 202 && status !== 503 && status !== 0)).toEqual([]);
    expect(reconnections).toBeGreaterThanOrEqual(clientCount);
    expect(sources.filter(({ isClosed }) => isClosed)).toHaveLength(0);
    expect(sources.filter(({ seqs }) => !isDense(seqs))).toHaveLength(0);
    for (const source of sources) source.close();
    sender.close();
  },
);

/** A client that uses the npm package `eventsource`, as users write it. */
interface PackageEventSource {
  /** The seqs of the received events, in order of arrival. */
  readonly seqs: readonly number[];
  /** How many `stream.open` messages it received. */
  readonly opened: number;
  /** True if its state is CLOSED: it will not reconnect by itself. */
  readonly isClosed: boolean;
  close(): void;
}

const widgetEvents = ['widget.created', 'widget.updated', 'widget.retired'];

function openPackageEventSource(url: string): PackageEventSource {
  const source = new EventSource(url);
  const seqs: number[] = [];
  let opened = 0;
  for (const name of widgetEvents) {
    source.addEventListener(name, (event) => seqs.push(Number(event.lastEventId.split('.')[2])));
  }
  source.addEventListener('stream.open', () => {
    opened += 1;
  });
  return {
    seqs,
    get opened() {
      return opened;
    },
    get isClosed() {
      return source.readyState === EventSource.CLOSED;
    },
    close: () => source.close(),
  };
}
