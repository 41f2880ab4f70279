import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender } from '../drivers/hook-sender.ts';
import { onPod } from '../drivers/service-process.ts';
import { openStream } from '../drivers/stream-client.ts';
import { type CountingStream, openCountingStream } from '../drivers/stream-crowd.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { longestTurnMsOf } from '../faults/process-figures.ts';
import { isLong } from '../faults/scale.ts';
import { watchCommands } from '../faults/watch-commands.ts';

const clients = isLong ? 5_000 : 300;
const eventsMissed = 1_000;
/** What each pod may read of the log for all of this: it has the newest events in memory, so little. */
const readsPerPodMax = 40;
/** For so long a pod may be deaf at most: what is revoked ends within 2 s. */
const longestTurnMaxMs = 2_000;

let cluster: FaultCluster;
let client: ConsoleClient;

beforeAll(async () => {
  const environment = { STREAMS_PER_TOKEN: '10000', RING_FRAMES: '2000' };
  cluster = await openFaultCluster({ workers: 1, hasLinks: false, environment });
  client = await signIn(cluster.url);
});
afterAll(async () => {
  await cluster.dispose();
});

/** Counts what is read of the event log from now on; that tails look whether there is more is no reading. */
async function countReads(): Promise<{ count(): number; stop(): void }> {
  let reads = 0;
  const { stop } = await watchCommands(cluster.redis, ({ name, arguments: [key = '', ...rest], isOfScript }) => {
    const isPage = /^xrev?range$/.test(name) && rest.includes('COUNT');
    if (isPage && key.endsWith(':log') && !isOfScript) reads += 1;
  });
  return { count: () => reads, stop };
}

/** Opens a crowd over all pods from one position, and waits until each has seen `events`. */
async function resume(url: string, from: string, events: number): Promise<CountingStream[]> {
  const opened = await Promise.all(
    Array.from({ length: clients }, (_, index) => {
      const pod = cluster.pods[index % cluster.pods.length];
      if (pod === undefined) throw new Error('no pod');
      return openCountingStream(onPod(pod.process, url), from);
    }),
  );
  const hasAll = async () => opened.every((stream) => stream.events >= events);
  await eventually(hasAll, 'everybody has caught up', 120_000);
  return opened;
}

function expectWhole(streams: readonly CountingStream[], events: number): void {
  const wrong = streams.filter((each) => each.events !== events || !each.isDense || each.hasGap || each.hasEnded);
  expect(wrong).toHaveLength(0);
}

it('all of a crowd catch up, and Redis is read by pods, not by clients, also right after a restart', async () => {
  const widgetIds = await createWidgets(client, 20);
  const subscription = await client.createSubscription('screens');
  const integration = await client.createIntegration('factory');
  const [pod] = cluster.pods;
  if (pod === undefined) throw new Error('no pod');
  const sender = createHookSender(16);
  await eventually(async () => (await cluster.run.outboxesLeft()) === 0, 'the creations are told');
  const start = await openStream(onPod(pod.process, subscription.url));
  await start.until(() => start.events.length > 0, 'stream.open');
  const from = start.lastEventId();
  const sent = await sender.sendAll(hooksOver(widgetIds, eventsMissed), () => onPod(pod.process, integration.url));
  expect(sent.every(({ status }) => status === 202)).toBe(true);
  await start.until(() => start.widgetEvents().length >= eventsMissed, 'the events that the crowd has missed', 60_000);

  for (const state of ['as they were', 'started anew']) {
    const reads = await countReads();
    if (state === 'started anew') {
      await Promise.all(cluster.pods.map((each) => each.kill()));
      await Promise.all(cluster.pods.map((each) => each.start()));
    }
    // A start takes its time, which is not asked about here.
    await Promise.all(cluster.pods.map(longestTurnMsOf));
    const startedAtMs = performance.now();
    const crowd = await resume(subscription.url, from, eventsMissed);
    const tookMs = Math.round(performance.now() - startedAtMs);
    expectWhole(crowd, eventsMissed);
    const longestTurnMs = Math.max(...(await Promise.all(cluster.pods.map(longestTurnMsOf))));
    console.log(
      `${clients} clients, ${eventsMissed} events each, pods ${state}: ${reads.count()} reads of the log, ${tookMs} ms, ` +
        `the longest turn of a pod ${Math.round(longestTurnMs)} ms`,
    );
    expect(reads.count()).toBeLessThan(readsPerPodMax * cluster.pods.length);
    // Each filled its memory, which was counted.
    if (state === 'started anew') expect(reads.count()).toBeGreaterThanOrEqual(cluster.pods.length);
    reads.stop();
    expect(longestTurnMs).toBeLessThan(longestTurnMaxMs);
    for (const stream of crowd) stream.close();
  }
  start.close();
  sender.close();
});
