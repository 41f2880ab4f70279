import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { type CountingStream, openCountingStream } from '../drivers/streams/counting-stream.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { readMaxEventLoopLagMs } from '../faults/process-metrics.ts';
import { isLong } from '../faults/scale.ts';

/** A command that Redis executed. */
interface WatchedCommand {
  /** In lower case. */
  readonly name: string;
  readonly arguments: readonly string[];
  /** True if a script called it and not a client. */
  readonly isFromScript: boolean;
}

/**
 * Calls `onCommand` with every command that Redis executes, in order, until `stop`. Resolves when `MONITOR` is active.
 * It does not use ioredis (6.0.0). When Redis is busy, the first lines arrive together with the answer to `MONITOR`,
 * and ioredis mistakes them for replies to its own commands.
 */
async function watchCommands(
  { port }: { readonly port: number },
  onCommand: (command: WatchedCommand) => void,
): Promise<{ stop(): void }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = createInterface({ input: socket });
  const isWatching = once(lines, 'line');
  lines.on('line', (line) => {
    const command = parseLine(line);
    if (command !== null) onCommand(command);
  });
  socket.write('MONITOR\r\n');
  await isWatching;
  return { stop: () => socket.destroy() };
}

/** Parses `+1795315059.652481 [0 lua] "DEL" "a key"`: time, database, caller, then the words in C quoting. */
function parseLine(line: string): WatchedCommand | null {
  const source = /^\+[\d.]+ \[\d+ ([^\]]*)\] /.exec(line);
  if (source === null) return null;
  const [name = '', ...rest] = Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) => word);
  return { name: name.toLowerCase(), arguments: rest, isFromScript: source[1] === 'lua' };
}

const clientCount = isLong ? 5_000 : 300;
const eventsMissed = 1_000;
/** A pod has the newest events in its ring, so it may read the log only a few times for the whole crowd. */
const logReadsPerPodMax = 40;
/** A pod must not be unresponsive for longer, because streams must end within 2 s after a revocation. */
const eventLoopLagMaxMs = 2_000;

let cluster: FaultCluster;
let client: ConsoleClient;

beforeAll(async () => {
  const environment = { STREAMS_PER_OWNER: '10000', ...setOptions({ ringFrames: 2_000 }) };
  cluster = await openFaultCluster({ workers: 1, hasLinks: false, environment });
  client = await signIn(cluster.url);
});
afterAll(async () => {
  await cluster.dispose();
});

/** Counts the reads of pages of the event log from now on. It does not count the tail's wait for the next event. */
async function countLogReads(): Promise<{ count(): number; stop(): void }> {
  let reads = 0;
  const { stop } = await watchCommands(cluster.redis, ({ name, arguments: [key = '', ...rest], isFromScript }) => {
    const isPage = /^xrev?range$/.test(name) && rest.includes('COUNT');
    if (isPage && key.endsWith(':log') && !isFromScript) reads += 1;
  });
  return { count: () => reads, stop };
}

/** Opens the crowd on all pods from one position. Resolves when each client has received `events`. */
async function resumeCrowd(url: string, from: string, events: number): Promise<CountingStream[]> {
  const streams = await Promise.all(
    Array.from({ length: clientCount }, (_, index) => {
      const pod = cluster.pods[index % cluster.pods.length];
      if (pod === undefined) throw new Error('no pod');
      return openCountingStream(withOrigin(pod.process, url), from);
    }),
  );
  const haveAllEvents = async () => streams.every((stream) => stream.events >= events);
  await eventually(haveAllEvents, 'all clients have caught up', 120_000);
  return streams;
}

function expectComplete(streams: readonly CountingStream[], events: number): void {
  const wrong = streams.filter((stream) => {
    return stream.events !== events || !stream.isDense || stream.hasGap || stream.hasEnded;
  });
  expect(wrong).toHaveLength(0);
}

test.runIf(isHaproxyInstalled())(
  'a crowd catches up, before and after a restart of all pods, with few reads of Redis per pod',
  async () => {
    const widgetIds = await createWidgets(client, 20);
    const subscription = await client.createSubscription('screens');
    const integration = await client.createIntegration('factory');
    const [pod] = cluster.pods;
    if (pod === undefined) throw new Error('no pod');
    const sender = createHookSender(16);
    await eventually(async () => (await cluster.run.countOutboxes()) === 0, 'the creations are published');
    const start = await openStream(withOrigin(pod.process, subscription.url));
    await start.until(() => start.events.length > 0, 'stream.open');
    const from = start.lastEventId();
    const sent = await sender.sendAll(buildHooks(widgetIds, eventsMissed), () =>
      withOrigin(pod.process, integration.url),
    );
    expect(sent.every(({ status }) => status === 202)).toBe(true);
    await start.until(
      () => start.widgetEvents().length >= eventsMissed,
      'the events that the crowd has missed',
      60_000,
    );

    for (const state of ['running', 'restarted']) {
      const logReads = await countLogReads();
      if (state === 'restarted') {
        await Promise.all(cluster.pods.map((slot) => slot.kill()));
        await Promise.all(cluster.pods.map((slot) => slot.start()));
      }
      // Resets the metric, which would otherwise contain the lag of the start.
      await Promise.all(cluster.pods.map(readMaxEventLoopLagMs));
      const startedAtMs = performance.now();
      const crowd = await resumeCrowd(subscription.url, from, eventsMissed);
      const tookMs = Math.round(performance.now() - startedAtMs);
      expectComplete(crowd, eventsMissed);
      const eventLoopLagMs = Math.max(...(await Promise.all(cluster.pods.map(readMaxEventLoopLagMs))));
      console.log(
        `${clientCount} clients, ${eventsMissed} events each, pods ${state}: ${logReads.count()} reads of the log, ` +
          `${tookMs} ms, the longest event-loop lag of a pod ${Math.round(eventLoopLagMs)} ms`,
      );
      expect(logReads.count()).toBeLessThan(logReadsPerPodMax * cluster.pods.length);
      // Each restarted pod fills its ring from the log. So this shows that the count works.
      if (state === 'restarted') expect(logReads.count()).toBeGreaterThanOrEqual(cluster.pods.length);
      logReads.stop();
      expect(eventLoopLagMs).toBeLessThan(eventLoopLagMaxMs);
      for (const stream of crowd) stream.close();
    }
    start.close();
    sender.close();
  },
);
