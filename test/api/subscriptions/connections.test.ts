import { randomUUID } from 'node:crypto';
import { toEventWithoutWidget } from '@widget-service/shared/domain/widget-event.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { aDelivery } from '../../drivers/app/builders.ts';
import { driveEventLog } from '../../drivers/app/log-drivers.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts, type TestCaller } from '../../drivers/app/test-app.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

interface Connection {
  readonly id: string;
  readonly address: string | null;
  readonly position: string;
  readonly openedAt: string;
  readonly sentBytes: number;
  readonly unsentBytes: number;
  readonly pod: string;
}
interface Connections {
  readonly items: Connection[];
  readonly totalItems: number;
  readonly isComplete: boolean;
  readonly asOf: string;
}

const service = await openSharedService();
const peer = (await service.openPeerPod?.()) ?? null;
afterAll(() => peer?.close());
/** Every pod of the service: two on the cluster backend. */
const podUrls = [service.url, ...(peer === null ? [] : [peer.url])];
const admin = await signInThroughPorts(service.backend, 'admin');
const log = driveEventLog(() => service);

const send = (method: string, path: string, { headers }: TestCaller = admin, podUrl = service.url) =>
  fetch(`${podUrl}/api/v1/subscriptions/${path}`, { method, headers });
const list = async (subscriptionId: string, podUrl?: string): Promise<Connections> => {
  const response = await send('GET', `${subscriptionId}/connections`, admin, podUrl);
  expect(response.status).toBe(200);
  return (await response.json()) as Connections;
};

/** Opens streams of a new subscription: this many on every pod. Waits until every pod lists them all. */
async function openStreams(perPod: number) {
  const { url, subscriptionId } = await service.issueStreamUrl();
  const { pathname } = new URL(url);
  const urls = podUrls.flatMap((podUrl) => Array.from({ length: perPod }, () => `${podUrl}${pathname}`));
  const streams: StreamClient[] = [];
  for (const podStreamUrl of urls) {
    const stream = await openStream(podStreamUrl);
    await stream.until(() => stream.events.length > 0, 'the first event');
    streams.push(stream);
  }
  for (const podUrl of podUrls) {
    const isListed = async () => (await list(subscriptionId, podUrl)).totalItems === streams.length;
    await eventually(isListed, 'every pod lists them', 10_000);
  }
  return { subscriptionId, streams, urls };
}

function closeAll(streams: readonly StreamClient[]): void {
  for (const stream of streams) stream.close();
}

// A pod writes its streams every 5 s: the tests wait at the same time.
describe.concurrent('GET /api/v1/subscriptions/{id}/connections', () => {
  test('lists the open streams of the subscription on every pod, whichever pod is asked, the last opened first', async () => {
    const sinceMs = Date.now();
    const { subscriptionId, streams } = await openStreams(2);
    const { streams: others } = await openStreams(1);
    const lists = await Promise.all(podUrls.map((podUrl) => list(subscriptionId, podUrl)));
    for (const { items, asOf, ...counts } of lists) {
      expect(counts).toEqual({ totalItems: streams.length, isComplete: true });
      expect(Date.now() - Date.parse(asOf)).toBeLessThan(10_000);
      expect(items).toHaveLength(streams.length);
      expect(items.map(({ id }) => id)).toEqual(lists[0]?.items.map(({ id }) => id));
      for (const item of items) {
        expect(Object.keys(item).sort()).toEqual(
          ['address', 'id', 'openedAt', 'pod', 'position', 'sentBytes', 'unsentBytes'].sort(),
        );
        expect(item).toMatchObject({ address: '127.0.0.1', unsentBytes: 0 });
        expect(item.pod).toMatch(/^.+\/\d+$/);
        expect(Date.parse(item.openedAt)).toBeGreaterThanOrEqual(sinceMs - 1);
      }
      const times = items.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted().toReversed());
    }
    closeAll([...streams, ...others]);
    await eventually(async () => (await list(subscriptionId)).totalItems === 0, 'closed streams are not listed');
    expect((await list(subscriptionId)).items).toEqual([]);
  });

  test('shows how far each stream is, and how many bytes it was sent', async () => {
    const { subscriptionId, streams } = await openStreams(1);
    const before = (await list(subscriptionId)).items;
    const event = toEventWithoutWidget(aDelivery());
    await log.append([{ event, mark: { kind: 'event', eventId: event.eventId } }]);
    for (const stream of streams) await stream.until(() => stream.widgetEvents().length === 1, 'the event');
    const hasMoved = async () =>
      (await list(subscriptionId)).items.every(({ id, position }) =>
        before.every((item) => item.id !== id || item.position !== position),
      );
    await eventually(hasMoved, 'every pod has written how far its streams are', 10_000);
    const after = (await list(subscriptionId)).items;
    for (const { id, position, sentBytes } of after) {
      const earlier = before.find((item) => item.id === id);
      expect(streams.map((stream) => stream.widgetEvents()[0]?.id)).toContain(position);
      expect(position).not.toBe(earlier?.position);
      expect(sentBytes - (earlier?.sentBytes ?? Infinity)).toBeGreaterThan(100);
    }
    closeAll(streams);
  });

  test('shows no address of a client behind a proxy that is not trusted, and never the token', async () => {
    const { url, subscriptionId } = await service.issueStreamUrl();
    const response = await fetch(url, { headers: { 'x-forwarded-for': '198.51.100.7' } });
    const reader = response.body?.getReader();
    await reader?.read();
    const shown = await list(subscriptionId);
    expect(shown.items).toMatchObject([{ id: response.headers.get('x-request-id'), address: null }]);
    expect(JSON.stringify(shown)).not.toContain('wst_');
    await reader?.cancel();
  });
});

describe.concurrent('DELETE /api/v1/subscriptions/{id}/connections/{connectionId}', () => {
  test('ends that stream within 2 s, on whichever pod it is, with lifetime; its client can resume', async () => {
    const { subscriptionId, streams, urls } = await openStreams(2);
    const { items } = await list(subscriptionId);
    // The last one is the first that was opened, on the first pod. It is ended through the last pod.
    const ended = streams[0]!;
    const endPath = `${subscriptionId}/connections/${items.at(-1)?.id}`;
    const response = await send('DELETE', endPath, admin, podUrls.at(-1));
    const acknowledgedAtMs = performance.now();
    expect(response.status).toBe(204);
    await ended.ended;
    expect(performance.now() - acknowledgedAtMs).toBeLessThan(2_000);
    expect(ended.events.at(-1)).toMatchObject({ event: 'stream.closing', data: '{"reason":"lifetime"}' });
    const listIds = async () => (await list(subscriptionId)).items.map(({ id }) => id);
    const expected = items.slice(0, -1).map(({ id }) => id);
    await eventually(async () => (await listIds()).length === expected.length, 'it is not listed', 10_000);
    expect(await listIds()).toEqual(expected);
    const others = streams.slice(1);
    expect(others.flatMap(({ events }) => events.map(({ event }) => event))).not.toContain('stream.closing');
    expect((await send('DELETE', endPath)).status).toBe(404);
    const position = ended.events[0]?.id ?? '';
    const resumed = await openStream(`${urls[0]}?lastEventId=${position}`);
    await resumed.until(() => resumed.events.length > 0, 'the first event');
    expect(JSON.parse(resumed.events[0]?.data ?? '')).toMatchObject({ subscriptionId, resumed: true });
    closeAll([...others, resumed]);
  });

  test('returns 404 and ends nothing for a stream of another subscription, an unknown and a malformed id', async () => {
    const { subscriptionId, streams } = await openStreams(1);
    const { subscriptionId: otherId } = await service.issueStreamUrl();
    const [first] = (await list(subscriptionId)).items;
    for (const path of [`${otherId}/connections/${first?.id}`, `${subscriptionId}/connections/${randomUUID()}`]) {
      expect((await send('DELETE', path)).status).toBe(404);
    }
    expect((await send('DELETE', `${subscriptionId}/connections/x`)).status).toBe(404);
    const editor = await signInThroughPorts(service.backend, 'editor');
    expect((await send('DELETE', `${subscriptionId}/connections/${first?.id}`, editor)).status).toBe(403);
    expect((await list(subscriptionId)).totalItems).toBe(streams.length);
    closeAll(streams);
  });
});
