import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender, type SentHook } from '../drivers/hook-sender.ts';
import { createPace } from '../drivers/pace.ts';
import { openPackageEventSource, type PackageEventSource } from '../drivers/package-event-source.ts';
import { onPod } from '../drivers/service-process.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';

const clients = isLong ? 1_000 : 150;
const tokens = 10;
const hooksPerSecond = isLong ? 100 : 40;
/** Each pod takes half a minute to go, and what one process cannot read for all its clients at once waits in it. */
const timeout = isLong ? 480_000 : 240_000;
/** In the long form a pod takes its time, as it does in production. */
const drain: Readonly<Record<string, string>> = isLong ? {} : { DRAIN_DELAY_MS: '1500', DRAIN_WINDOW_MS: '3000' };

const browserPath = process.env.CHROMIUM_BIN ?? '';
if (browserPath === '' && process.env.REQUIRE_BROWSER === '1') throw new Error('CHROMIUM_BIN is missing');

let cluster: FaultCluster;
let client: ConsoleClient;

beforeAll(async () => {
  const environment = { STREAMS_PER_TOKEN: '1000', ...drain };
  cluster = await openFaultCluster({ workers: 2, environment });
  client = await signIn(cluster.url);
});
afterAll(() => cluster.dispose());

/** What a page does that shows events, in a browser; null where there is none. */
async function openBrowserStream(url: string) {
  if (browserPath === '') return null;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
  const browser = await chromium.launch({ executablePath: browserPath, args });
  const page = await browser.newPage();
  await page.goto(`${cluster.url}/docs`);
  await page.evaluate(watchStream, url);
  return {
    look: () => page.evaluate(lookAtStream),
    close: () => browser.close(),
  };
}

/** Runs in the page. */
function watchStream(url: string): void {
  const source = new EventSource(url);
  const seqs: number[] = [];
  for (const name of ['widget.created', 'widget.updated', 'widget.retired']) {
    source.addEventListener(name, (event) => seqs.push(Number((event as MessageEvent).lastEventId.split('.')[2])));
  }
  Object.assign(globalThis, { watched: { source, seqs } });
}

/** Runs in the page. */
function lookAtStream(): { seqs: number[]; isClosed: boolean } {
  const { source, seqs } = (globalThis as unknown as { watched: { source: EventSource; seqs: number[] } }).watched;
  return { seqs, isClosed: source.readyState === EventSource.CLOSED };
}

const isDense = (seqs: readonly number[]) => seqs.every((seq, index) => index === 0 || seq === seqs[index - 1]! + 1);

it('no EventSource is closed, and none misses an event, while every pod and worker is replaced under load', {
  timeout,
}, async () => {
  const widgetIds = await createWidgets(client, 20);
  const integration = await client.createIntegration('factory');
  const urls: string[] = [];
  for (let token = 0; token < tokens; token += 1) {
    const subscription = await client.createSubscription(`screens ${token}`);
    urls.push(onPod({ url: cluster.url }, subscription.url));
  }
  await eventually(async () => (await cluster.run.outboxesLeft()) === 0, 'the creations are told');
  const sources: PackageEventSource[] = Array.from({ length: clients }, (_, index) =>
    openPackageEventSource(urls[index % tokens] ?? ''),
  );
  const browser = await openBrowserStream(urls[0] ?? '');
  await eventually(async () => sources.every(({ opened }) => opened > 0), 'every stream is open', 60_000);

  const sender = createHookSender(8);
  const sent: SentHook[] = [];
  const load = createPace(hooksPerSecond, async (index) => {
    const [hook] = hooksOver([widgetIds[index % widgetIds.length] ?? ''], 1);
    if (hook === undefined) return;
    sent.push(await sender.send(onPod({ url: cluster.url }, integration.url), { ...hook, payload: { number: index } }));
  });
  load.start();
  for (const slot of [...cluster.pods, ...cluster.workers]) {
    expect(await slot.stop()).toBe(0);
    await slot.start();
    const names = cluster.pods.map(({ name }) => name);
    await eventually(async () => (await cluster.balancer.ready()).length === names.length, 'the pod is back');
  }
  await load.stop();

  const accepted = sent.filter(({ status }) => status === 202).length;
  const isTold = async () => (await cluster.run.jobsLeft()) === 0 && (await cluster.run.outboxesLeft()) === 0;
  await eventually(isTold, 'everything is told');
  const hasAll = async () => sources.every(({ seqs }) => seqs.length >= accepted);
  await eventually(hasAll, 'every client has every event', 60_000);
  // A hook that got no answer, or a refusal, may have been stored: then there is more than was accepted.
  const lasts = async () =>
    new Set([...sources, ...(browser ? [await browser.look()] : [])].map(({ seqs }) => seqs.at(-1)));
  await eventually(async () => (await lasts()).size === 1, 'every client has the same last event', 60_000);
  const seen = await browser?.look();
  const reopened = sources.reduce((sum, { opened }) => sum + opened - 1, 0);
  console.log(
    `${clients} clients over ${tokens} tokens${seen === undefined ? '' : ' and a browser'}: ${sent.length} hooks sent, ` +
      `${accepted} accepted, streams came back ${reopened} times`,
  );
  expect(accepted).toBeGreaterThan(0.9 * sent.length);
  expect(sent.filter(({ status }) => status !== 202 && status !== 503 && status !== 0)).toEqual([]);
  expect(reopened).toBeGreaterThanOrEqual(clients);
  expect(sources.filter(({ isClosed }) => isClosed)).toHaveLength(0);
  expect(sources.filter(({ seqs }) => !isDense(seqs))).toHaveLength(0);
  if (seen !== undefined) {
    expect(seen.isClosed).toBe(false);
    expect(isDense(seen.seqs)).toBe(true);
  }
  for (const source of sources) source.close();
  await browser?.close();
  sender.close();
});
