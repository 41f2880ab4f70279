import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { issueSubscription } from '../../drivers/app/issue-grants.ts';
import { buildEventAppends, driveEventLog } from '../../drivers/app/log-drivers.ts';
import { openTestBackend } from '../../drivers/app/open-test-backend.ts';
import type { TestBackend } from '../../drivers/app/test-backend.ts';
import { openPod, type TestPod } from '../../drivers/app/test-service.ts';
import { openStream, type StreamEvent } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { addForeignEntry, damageEvent, eventDamages } from '../../faults/damaged-events.ts';

/** How many events the log holds. The ring of the pod has fewer, so earlier ones come from the log. */
const eventCount = 12;
const damagedSeq = 6;

async function openLog(): Promise<TestBackend> {
  const testBackend = await openTestBackend();
  onTestFinished(() => testBackend.dispose());
  return testBackend;
}

async function openPodOn({ backend }: TestBackend) {
  const pod = await openPod({ ...backend, close: async () => undefined }, {}, { fanOut: { ringFrames: 3 } });
  onTestFinished(pod.close);
  const { token } = await issueSubscription(backend);
  return { pod, url: `${pod.url}/api/v1/events/${token}` };
}

/** How many damaged events the pod has counted. */
async function countUnreadable({ opsUrl }: TestPod): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^widget_store_unreadable_rows_total\{port="eventLog"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/** Follows the stream as a client does, until it has the event: it resumes where a stream was closed. */
async function follow(
  url: string,
  firstId: string,
  wantedId: string,
): Promise<{ events: StreamEvent[]; streams: number }> {
  const events: StreamEvent[] = [];
  let lastEventId = firstId;
  for (let streams = 1; streams <= 4; streams += 1) {
    const stream = await openStream(url, { lastEventId });
    const isOver = () => stream.events.some(({ event, data }) => event === 'stream.closing' || data.includes(wantedId));
    await stream.until(isOver, 'the wanted event or the end');
    stream.close();
    events.push(...stream.events);
    if (events.some(({ data }) => data.includes(wantedId))) return { events, streams };
    lastEventId = stream.lastEventId();
  }
  throw new Error(
    `four streams did not reach the event: ${JSON.stringify(events.map(({ id, event }) => [id, event]))}`,
  );
}

describe('an event in the middle of the log', () => {
  test.each(Object.keys(eventDamages) as (keyof typeof eventDamages)[])(
    'that %s: streams have all events before it, then a gap, then the newest',
    async (damage) => {
      const testBackend = await openLog();
      const drive = driveEventLog(() => testBackend);
      const appends = buildEventAppends(eventCount);
      for (const one of appends) await drive.append([one]);
      await damageEvent(testBackend, damagedSeq, damage);
      const { url, pod } = await openPodOn(testBackend);
      const ids = appends.map(({ event }) => event.eventId);
      const { events, streams } = await follow(url, 'earliest', ids.at(-1) ?? '');
      const seen = events.filter(({ event }) => event.startsWith('widget.')).map(({ data }) => JSON.parse(data).id);
      expect(seen.slice(0, damagedSeq - 1)).toEqual(ids.slice(0, damagedSeq - 1));
      expect(seen).not.toContain(ids[damagedSeq - 1]);
      expect(new Set(seen).size).toBe(seen.length);
      const gap = events.find(({ event }) => event === 'stream.gap');
      expect(JSON.parse(gap?.data ?? '{}')).toMatchObject({ reason: 'trimmed' });
      expect(streams).toBe(2);
      expect((await countUnreadable(pod)) > 0).toBe(damage !== 'is missing');
    },
  );

  test('the newest one: a pod starts all the same, and streams have the next', async () => {
    const testBackend = await openLog();
    const drive = driveEventLog(() => testBackend);
    for (const one of buildEventAppends(eventCount)) await drive.append([one]);
    await damageEvent(testBackend, eventCount, 'has labels that are no JSON');
    const { url } = await openPodOn(testBackend);
    const stream = await openStream(url);
    await stream.until(() => stream.events.some(({ event }) => event === 'stream.open'), 'stream.open');
    const [next] = buildEventAppends(1);
    await driveEventLog(() => testBackend).append(next === undefined ? [] : [next]);
    await stream.until(() => stream.widgetEvents().length === 1, 'the next event');
    expect(stream.widgetEvents()[0]?.data).toContain(next?.event.eventId);
    stream.close();
  });
});

// In an embedded log, the number of an event is its key.
test.skipIf(inject('backend') === 'embedded')(
  'an entry of others at the end ends open streams once, and no event is missing',
  async () => {
    const testBackend = await openLog();
    const { append } = driveEventLog(() => testBackend);
    await append(buildEventAppends(1));
    const { url, pod } = await openPodOn(testBackend);
    const stream = await openStream(url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    await addForeignEntry(testBackend);
    await eventually(async () => (await countUnreadable(pod)) > 0, 'the entry is counted');
    const appends = buildEventAppends(2);
    const [next = '', last = ''] = appends.map(({ event }) => event.eventId);
    await append(appends.slice(0, 1));
    await stream.until(() => stream.events.some(({ event }) => event === 'stream.closing'), 'stream.closing');
    const { events, streams } = await follow(url, stream.lastEventId(), next);
    expect({ streams, first: events[0]?.event }).toEqual({ streams: 1, first: 'stream.open' });
    await append(appends.slice(1));
    await follow(url, events.at(-1)?.id ?? '', last);
    expect(pod.logLines.filter((line) => line.includes('"tail.resync"'))).toHaveLength(1);
  },
);
