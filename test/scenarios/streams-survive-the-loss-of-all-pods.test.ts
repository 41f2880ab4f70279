import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { type ProxiedHooks, startProxiedHooks } from '../faults/proxied-hooks.ts';
import { isLong } from '../faults/scale.ts';
import { createServiceSlot, type ServiceSlot } from '../faults/service-slot.ts';
import {
  type Certificate,
  canRunProxy,
  createCertificate,
  type ShippedProxy,
  shippedProxies,
  startShippedProxy,
} from '../faults/shipped-proxy.ts';
import { type FollowingBrowser, openFollowingBrowser } from '../foreign-clients/browser-followers.ts';
import {
  goClient,
  type InstalledClient,
  isToolInstalled,
  npmClients,
  pythonClient,
} from '../foreign-clients/install-clients.ts';
import { type StreamFollower, startFollower } from '../foreign-clients/stream-follower.ts';

/** How long no pod runs. */
const goneMs = 8_000;
const heartbeatIntervalMs = 1_000;

const browserPath = process.env.CHROMIUM_BIN ?? '';
const proxyNames = shippedProxies.filter(canRunProxy);
const foreignClients = [pythonClient, goClient].filter(isToolInstalled);
const pageClientNames = browserPath === '' ? [] : ['Chromium', 'fetch-event-source'];
const clientNames = [...[...npmClients, ...foreignClients].map(({ name }) => name), ...pageClientNames];
const hasRequired = browserPath !== '' && proxyNames.includes('nginx') && proxyNames.includes('haproxy');
if (process.env.REQUIRE_BROWSER === '1' && !hasRequired)
  throw new Error('CHROMIUM_BIN, nginx, haproxy or openssl is missing');

interface Behind {
  readonly proxy: ShippedProxy;
  readonly streamUrl: string;
  readonly hookUrl: string;
  readonly followers: StreamFollower[];
}

const folder = await makeSharedFolder();
let run: ClusterRun;
let certificate: Certificate;
let ca: string;
let pods: readonly [ServiceSlot, ServiceSlot];
let browser: FollowingBrowser | null = null;
const behind: Behind[] = [];
const hooks: ProxiedHooks[] = [];

beforeAll(async () => {
  if (proxyNames.length === 0) return;
  certificate = await createCertificate(folder);
  ca = await readFile(certificate.certificateFile, 'utf8');
  run = await openClusterRun();
  const ports = [await reservePorts(), await reservePorts()] as const;
  pods = [createPod('pod-1', ports[0]), createPod('pod-2', ports[1])];
  const installing = Promise.all(
    foreignClients.map(async ({ name, install }) => ({
      name,
      command: await install(await mkdtemp(join(folder, 'client-'))),
    })),
  );
  await Promise.all([...pods.map((pod) => pod.start()), run.startWorker()]);
  const admin = await signIn(pods[0].process.url);
  const subscription = await admin.createSubscription('screens');
  const integration = await admin.createIntegration('factory');
  const clients: InstalledClient[] = [...npmClients, ...(await installing)];
  browser = browserPath === '' ? null : await openFollowingBrowser(browserPath);
  for (const name of proxyNames) {
    const proxy = await startShippedProxy(name, ports, certificate);
    const streamUrl = withOrigin(proxy, subscription.url);
    const hookUrl = withOrigin(proxy, integration.url);
    const followers = clients.map((client) => startFollower(client, streamUrl, certificate.certificateFile));
    if (browser !== null) followers.push(...(await browser.follow(streamUrl)));
    behind.push({ proxy, streamUrl, hookUrl, followers });
  }
  const haveStreams = async () => (await countOpened()).every((opened) => opened > 0);
  await eventually(haveStreams, 'every client has a stream', 60_000);
  // Only now: a client gets no event from before its first stream.
  for (const { hookUrl } of behind) hooks.push(startProxiedHooks(hookUrl, ca));
});
afterAll(async () => {
  await Promise.race([Promise.all(hooks.map(({ stop }) => stop())), delay(1_000)]);
  for (const { proxy, followers } of behind) {
    for (const follower of followers) await follower.close();
    await proxy.close();
  }
  await browser?.close();
  await run?.dispose();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function reservePorts() {
  return { port: await freePort(), opsPort: await freePort() };
}

function createPod(name: string, { port, opsPort }: { port: number; opsPort: number }): ServiceSlot {
  const environment = {
    PORT: `${port}`,
    OPS_PORT: `${opsPort}`,
    TRUSTED_PROXIES: '127.0.0.1',
    ...setOptions({ heartbeatIntervalMs }),
    DRAIN_DELAY_MS: '1500',
  };
  return createServiceSlot(name, () => run.startApi(environment));
}

const allFollowers = () => behind.flatMap(({ followers }) => followers);

/** Returns how many streams each client has opened so far. */
async function countOpened(): Promise<number[]> {
  const messages = await Promise.all(allFollowers().map((follower) => follower.readMessages()));
  return messages.map((received) => received.filter(({ event }) => event === 'stream.open').length);
}

/** Pauses the hooks until each stream has sent its events and a heartbeat after them. */
async function becomeIdle(): Promise<void> {
  await Promise.all(hooks.map(({ pause }) => pause()));
  await run.waitUntilProcessed();
  await delay(2 * heartbeatIntervalMs);
}

/** Sends a request through a proxy. */
function send(method: string, url: string): Promise<{ status: number; headers: object; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, ca, agent: false }, async (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }),
    );
    sent.once('error', reject);
    sent.end();
  });
}

const kill = (pod: ServiceSlot) => pod.kill();
const terminate = async (pod: ServiceSlot) => expect(await pod.stop()).toBe(0);

describe.runIf(proxyNames.length > 0)('two pods behind the shipped proxies', () => {
  test.each([
    { outage: 'end by SIGTERM while hooks are posted', end: terminate, isIdle: false },
    // The last bytes of each stream are a heartbeat.
    { outage: 'are killed while the streams are idle', end: kill, isIdle: true },
    ...(isLong ? [{ outage: 'are killed while hooks are posted', end: kill, isIdle: false }] : []),
  ])('all pods $outage, are gone for 8 s and come back: every client has a new stream', async ({ end, isIdle }) => {
    const openedBefore = await countOpened();
    if (isIdle) await becomeIdle();
    else await delay(1_000);
    await Promise.all(pods.map(end));
    for (const { resume } of hooks) resume();
    await delay(goneMs / 2);
    for (const { streamUrl, hookUrl } of behind) await expectAnswersWithoutPods(streamUrl, hookUrl);
    await delay(goneMs / 2);
    await Promise.all(pods.map((pod) => pod.start()));
    for (const [index, follower] of allFollowers().entries()) {
      const hasNewStream = async () => {
        expect(await follower.readEnd(), follower.name).toBeNull();
        return (await countOpened())[index]! > openedBefore[index]!;
      };
      await eventually(hasNewStream, `${follower.name} (${index}) has a new stream`, 60_000);
    }
  });

  test('each client has every accepted hook as one event, in the order of the log', async () => {
    expect(pods.map(({ isRunning }) => isRunning)).toEqual([true, true]);
    await Promise.all(hooks.map(({ stop }) => stop()));
    const acceptedIds = hooks.flatMap((posted) => posted.acceptedIds);
    const statuses = hooks.flatMap((posted) => [...posted.statuses.keys()]);
    expect(statuses.filter((status) => ![0, 202, 503].includes(status))).toEqual([]);
    await run.waitUntilProcessed();
    const rows: object[] = [];
    for (const { proxy, followers } of behind) {
      for (const follower of followers) {
        const haveAll = async () => (await readEventIds(follower)).size >= acceptedIds.length;
        await eventually(haveAll, `${follower.name} behind ${proxy.name} has all events`);
        rows.push({ proxy: proxy.name, ...(await expectComplete(follower, acceptedIds)) });
      }
    }
    console.table(rows);
    expect(rows.length).toBe(proxyNames.length * clientNames.length);
    expect(acceptedIds.length).toBeGreaterThan(20 * proxyNames.length);
  });
});

/** While no pod runs, only a GET of a stream is answered 200. */
async function expectAnswersWithoutPods(streamUrl: string, hookUrl: string): Promise<void> {
  for (const url of [streamUrl, new URL('/api/v1/session/stream?lastEventId=x', streamUrl).href]) {
    const stream = await send('GET', url);
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache,no-transform' };
    expect(stream).toMatchObject({ status: 200, headers: { ...headers, 'access-control-allow-origin': '*' } });
    expect(stream.headers).not.toHaveProperty('x-request-id');
    expect(stream.body).toMatch(/^event: stream\.closing\ndata: \{"reason":"unavailable"\}\nretry: \d{4,5}\n\n$/);
  }
  const problem = {
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '5', 'cache-control': 'no-store' },
  };
  expect(await send('HEAD', streamUrl)).toMatchObject(problem);
  for (const url of [hookUrl, new URL('/api/v1/widgets', hookUrl).href]) {
    const refused = await send(url === hookUrl ? 'POST' : 'GET', url);
    expect(refused).toMatchObject(problem);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'unavailable', status: 503 });
  }
}

async function readEventIds(follower: StreamFollower): Promise<Set<string>> {
  const events = (await follower.readMessages()).filter(({ event }) => event.startsWith('widget.'));
  return new Set(events.map(({ data }) => (JSON.parse(data) as { id: string }).id));
}

/** Returns the figures of one client. */
async function expectComplete(follower: StreamFollower, acceptedIds: readonly string[]) {
  const { name } = follower;
  expect(await follower.readEnd(), name).toBeNull();
  const messages = await follower.readMessages();
  const count = (event: string) => messages.filter((message) => message.event === event).length;
  // An empty name or `message` is an empty message: the library took a heartbeat for one.
  expect(
    messages.filter(({ event, data }) => !/^(widget|stream)\./.test(event) || data === ''),
    name,
  ).toEqual([]);
  expect(count('stream.gap'), name).toBe(0);
  const ids = await readEventIds(follower);
  expect(
    acceptedIds.filter((id) => !ids.has(id)),
    name,
  ).toEqual([]);
  const seqs = messages.filter(({ event }) => event.startsWith('widget.')).map(({ id }) => Number(id.split('.')[2]));
  const firstTimes = [...new Set(seqs)];
  expect(
    firstTimes.filter((seq, index) => index > 0 && seq !== firstTimes[index - 1]! + 1),
    name,
  ).toEqual([]);
  const unavailable = messages.filter(({ data }) => data === '{"reason":"unavailable"}').length;
  expect(unavailable, `${name} asked while no pod ran`).toBeGreaterThan(0);
  return {
    client: name,
    events: ids.size,
    repeated: seqs.length - firstTimes.length,
    opened: count('stream.open'),
    unavailable,
  };
}
