import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender } from '../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../drivers/service-process.ts';
import { openCountingStream } from '../drivers/stream-crowd.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** Of each kind: good ones, stalled ones, vanished ones. */
const clientsOfAKind = isLong ? 200 : 50;
/** All clients are in one process, and on a busy machine that may take nothing for seconds. */
const stallMs = 10_000;
/** More than the kernels' buffers between a pod and a client hold, so that a client that takes nothing is felt. */
const hooksPerRound = 700;
/** So many times as long a round may take beside those who take nothing as beside as many who take all. */
const dearerAtMost = 2;
const note = 'x'.repeat(16_000);

let cluster: FaultCluster;
let client: ConsoleClient;
let pod: ServiceProcess;
/** The wire of those who will vanish. */
let wire: TcpProxy;

beforeAll(async () => {
  const environment = { STREAMS_PER_TOKEN: '10000', STREAM_STALL_MS: `${stallMs}`, RING_FRAMES: '200' };
  cluster = await openFaultCluster({ pods: 1, workers: 1, environment });
  client = await signIn(cluster.url);
  const [slot] = cluster.pods;
  if (slot === undefined) throw new Error('no pod');
  pod = slot.process;
  wire = await openTcpProxy({ host: '127.0.0.1', port: Number(new URL(pod.url).port) });
});
afterAll(async () => {
  await wire.close();
  await cluster.dispose();
});

/** What the pod still uses once its garbage is collected, in bytes, and how many streams it has. */
async function lookAtPod(): Promise<{ bytes: number; streams: number }> {
  process.kill(pod.pid, 'SIGUSR2');
  await delay(300);
  const metrics = await (await fetch(`${pod.opsUrl}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 'NaN');
  const bytes = value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes');
  return { bytes, streams: value('widget_streams_open') };
}

/** A client that asks for a stream, reads its beginning, and then takes nothing more. */
function openStalled(url: string): Promise<Socket> {
  const { pathname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    });
    socket.once('data', () => {
      socket.pause();
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

it('those who take what they are sent get everything meanwhile; the others are cut, and leave no memory behind', async () => {
  const widgetIds = await createWidgets(client, 10);
  const subscription = await client.createSubscription('screens');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(8);
  let sentSoFar = 0;
  const open = (url: string) => Promise.all(Array.from({ length: clientsOfAKind }, () => openCountingStream(url)));
  const good = await open(onPod(pod, subscription.url));
  const sendRound = async () => {
    const startedAtMs = performance.now();
    const hooks = hooksOver(widgetIds, hooksPerRound).map((hook, index) => ({
      ...hook,
      payload: { number: sentSoFar + index, note },
    }));
    const sent = await sender.sendAll(hooks, () => onPod(pod, integration.url));
    expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
    sentSoFar += hooksPerRound;
    const hasAll = async () => good.every(({ events, hasEnded }) => hasEnded || events >= sentSoFar);
    await eventually(hasAll, 'every good client has every event', 60_000);
    expect(good.filter(({ hasEnded }) => hasEnded)).toHaveLength(0);
    return performance.now() - startedAtMs;
  };

  const aloneMs = await sendRound();
  const before = await lookAtPod();
  const vanishing = await open(`http://127.0.0.1:${wire.port}${new URL(subscription.url).pathname}`);
  const stalled = await Promise.all(
    Array.from({ length: clientsOfAKind }, () => openStalled(onPod(pod, subscription.url))),
  );
  expect((await lookAtPod()).streams).toBe(3 * clientsOfAKind);
  wire.freeze();
  const besideThemMs = await sendRound();
  const during = await lookAtPod();
  await eventually(async () => (await lookAtPod()).streams === clientsOfAKind, 'the others are cut', 30_000);
  const after = await lookAtPod();
  const others = [...(await open(onPod(pod, subscription.url))), ...(await open(onPod(pod, subscription.url)))];
  const besideGoodOnesMs = await sendRound();

  const toMiB = (bytes: number) => Math.round(bytes / 2 ** 20);
  console.log(
    `${clientsOfAKind} good clients beside as many stalled and vanished: a round took ${(besideThemMs / aloneMs).toFixed(2)} × ` +
      `as long as alone, and ${(besideThemMs / besideGoodOnesMs).toFixed(2)} × as long as beside as many good ones; memory ${toMiB(before.bytes)} MiB before, ${toMiB(during.bytes)} during, ${toMiB(after.bytes)} after`,
  );
  expect(good.filter(({ hasEnded, isDense, hasGap }) => hasEnded || !isDense || hasGap)).toHaveLength(0);
  expect(after.bytes).toBeLessThan(1.1 * before.bytes);
  // What a stream costs, it costs its pod whoever has it: those who take nothing must not cost more.
  expect(besideThemMs).toBeLessThan(dearerAtMost * besideGoodOnesMs);
  wire.mend();
  for (const socket of stalled) socket.destroy();
  for (const stream of [...good, ...vanishing, ...others]) stream.close();
  sender.close();
});
