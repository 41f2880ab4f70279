import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createWidgets, signIn } from '../drivers/app/console-client.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { buildHooks, createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openCountingStream } from '../drivers/streams/counting-stream.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';

/** The number of healthy clients, of stalled clients and of vanished clients. */
const clientsPerKind = isLong ? 200 : 50;
/** Long, because all clients are in one process, which may be unable to read for seconds on a busy machine. */
const stallMs = 10_000;
/**
 * More data than fits into the kernel buffers between a pod and a client, so that stalled clients cause backpressure.
 */
const hooksPerRound = 700;
/** A round beside stalled clients may take this many times as long as a round beside as many healthy ones. */
const slowdownMax = 2;
const note = 'x'.repeat(16_000);

let cluster: FaultCluster;
let client: ConsoleClient;
let pod: ServiceProcess;
/** The connections of the clients that vanish. */
let link: TcpProxy;

beforeAll(async () => {
  const environment = { STREAMS_PER_OWNER: '10000', ...setOptions({ stallMs, ringFrames: 200 }) };
  cluster = await openFaultCluster({ pods: 1, workers: 1, environment });
  client = await signIn(cluster.url);
  const [slot] = cluster.pods;
  if (slot === undefined) throw new Error('no pod');
  pod = slot.process;
  link = await openTcpProxy({ host: '127.0.0.1', port: Number(new URL(pod.url).port) });
});
afterAll(async () => {
  await link.close();
  await cluster.dispose();
});

/** Returns the memory of the pod after a garbage collection, in bytes, and the number of its streams. */
async function readPod(): Promise<{ bytes: number; streams: number }> {
  process.kill(pod.pid, 'SIGUSR2');
  await delay(300);
  const metrics = await (await fetch(`${pod.opsUrl}/metrics`)).text();
  const readMetric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 'NaN');
  const bytes = readMetric('nodejs_heap_size_used_bytes') + readMetric('nodejs_external_memory_bytes');
  return { bytes, streams: readMetric('widget_streams_open') };
}

/** Opens a stream, reads its first bytes, then reads nothing more. */
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

test.runIf(isHaproxyInstalled())(
  'a pod cuts stalled and vanished clients and frees their memory; healthy clients get every event',
  async () => {
    const widgetIds = await createWidgets(client, 10);
    const subscription = await client.createSubscription('screens');
    const integration = await client.createIntegration('factory');
    const sender = createHookSender(8);
    let sentSoFar = 0;
    const openHealthy = (url: string) =>
      Promise.all(Array.from({ length: clientsPerKind }, () => openCountingStream(url)));
    const healthy = await openHealthy(withOrigin(pod, subscription.url));
    const sendRound = async () => {
      const startedAtMs = performance.now();
      const hooks = buildHooks(widgetIds, hooksPerRound).map((hook, index) => ({
        ...hook,
        payload: { number: sentSoFar + index, note },
      }));
      const sent = await sender.sendAll(hooks, () => withOrigin(pod, integration.url));
      expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
      sentSoFar += hooksPerRound;
      const haveAllEvents = async () => healthy.every(({ events, hasEnded }) => hasEnded || events >= sentSoFar);
      await eventually(haveAllEvents, 'every healthy client has every event', 60_000);
      expect(healthy.filter(({ hasEnded }) => hasEnded)).toHaveLength(0);
      return performance.now() - startedAtMs;
    };

    const aloneMs = await sendRound();
    const before = await readPod();
    const vanishing = await openHealthy(`http://127.0.0.1:${link.port}${new URL(subscription.url).pathname}`);
    const stalled = await Promise.all(
      Array.from({ length: clientsPerKind }, () => openStalled(withOrigin(pod, subscription.url))),
    );
    expect((await readPod()).streams).toBe(3 * clientsPerKind);
    link.freeze();
    const besideStalledMs = await sendRound();
    const during = await readPod();
    await eventually(
      async () => (await readPod()).streams === clientsPerKind,
      'the stalled and vanished clients are cut',
      30_000,
    );
    const after = await readPod();
    const moreHealthy = [
      ...(await openHealthy(withOrigin(pod, subscription.url))),
      ...(await openHealthy(withOrigin(pod, subscription.url))),
    ];
    const besideHealthyMs = await sendRound();

    const toMiB = (bytes: number) => Math.round(bytes / 2 ** 20);
    console.log(
      `${clientsPerKind} healthy clients beside as many stalled and as many vanished ones: a round took ` +
        `${(besideStalledMs / aloneMs).toFixed(2)} × as long as alone, and ` +
        `${(besideStalledMs / besideHealthyMs).toFixed(2)} × as long as beside as many healthy ones; memory ` +
        `${toMiB(before.bytes)} MiB before, ${toMiB(during.bytes)} MiB during, ${toMiB(after.bytes)} MiB after`,
    );
    expect(healthy.filter(({ hasEnded, isDense, hasGap }) => hasEnded || !isDense || hasGap)).toHaveLength(0);
    expect(after.bytes).toBeLessThan(1.1 * before.bytes);
    // A healthy stream costs time too. A stalled one must not cost much more.
    expect(besideStalledMs).toBeLessThan(slowdownMax * besideHealthyMs);
    link.mend();
    for (const socket of stalled) socket.destroy();
    for (const stream of [...healthy, ...vanishing, ...moreHealthy]) stream.close();
    sender.close();
  },
);
