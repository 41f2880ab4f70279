import { randomUUID } from 'node:crypto';
import { type EventFilter, noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { expect, test } from 'vitest';
import { expectNothingOutside } from '../../checkers/nothing-outside-the-filter.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../../drivers/app/test-app.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';

const service = await openSharedService({}, {}, { fanOut: { heartbeatIntervalMs: 100 } });
const editor = await signInThroughPorts(service.backend, 'editor');
const hookUrl = await service.issueHookUrl();

async function createWidget(labels: string[]): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/widgets`, {
    method: 'POST',
    headers: { ...editor.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'A widget', labels }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function postHook(kind: string, widgetId?: string): Promise<void> {
  const response = await fetch(hookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': randomUUID() },
    body: JSON.stringify({ kind, occurredAt: new Date().toISOString(), ...(widgetId && { widgetId }) }),
  });
  expect(response.status).toBe(202);
}

const readSeq = (stream: StreamClient) => Number(stream.lastEventId().split('.')[2] ?? 0);

test('GET /api/v1/events/{token} sends only the events that every member of the filter allows', async () => {
  const everything = await openStream((await service.issueStreamUrl()).url);
  await everything.until(() => everything.events.length > 0, 'stream.open');
  const start = everything.lastEventId();
  const actionNames: string[] = [];
  /** Waits for the event of each action, so that the order on the stream is known. */
  const perform = async (name: string, act: () => Promise<unknown>) => {
    await act();
    actionNames.push(name);
    await everything.until(() => everything.widgetEvents().length === actionNames.length, name);
  };
  let [red, blue] = ['', ''];
  const unknown = randomUUID();
  await perform('red created', async () => {
    red = await createWidget(['red', 'round']);
  });
  await perform('blue created', async () => {
    blue = await createWidget(['blue']);
  });

  const filters: Record<string, [Partial<EventFilter>, string[]]> = {
    types: [{ types: ['widget.retired', 'widget.created'] }, ['red created', 'blue created', 'red retired']],
    widget: [{ widgetIds: [red] }, ['red created', 'red updated', 'red retired', 'red updated again']],
    'unknown widget': [{ widgetIds: [unknown] }, ['unknown updated']],
    'state after': [{ states: ['retired'] }, ['red retired', 'red updated again']],
    'state before': [
      { states: ['active'] },
      ['red created', 'blue created', 'red updated', 'red retired', 'blue updated'],
    ],
    label: [{ labels: ['green', 'round'] }, ['red created', 'red updated', 'red retired', 'red updated again']],
    'all together': [
      { types: ['widget.updated'], states: ['active'], labels: ['blue', 'red'] },
      ['red updated', 'blue updated'],
    ],
    nothing: [{ types: ['widget.created'], widgetIds: [unknown] }, []],
  };
  // Each stream replays the events of the creates, and receives the later ones while it is open.
  const streams = await Promise.all(
    Object.values(filters).map(async ([members, expectedNames]) => {
      const filter = { ...noFilter, ...members };
      const { url } = await service.issueStreamUrl({ filter });
      return { filter, expectedNames, stream: await openStream(url, { lastEventId: start }) };
    }),
  );
  await perform('red updated', () => postHook('updated', red));
  await perform('unknown updated', () => postHook('updated', unknown));
  await perform('red retired', () => postHook('retired', red));
  await perform('red updated again', () => postHook('updated', red));
  await perform('blue updated', () => postHook('updated', blue));
  await perform('nobody updated', () => postHook('updated'));

  const names = new Map(everything.widgetEvents().map(({ id }, index) => [id, actionNames[index]]));
  for (const { filter, expectedNames, stream } of streams) {
    await stream.until(() => readSeq(stream) === readSeq(everything), 'the last position');
    expect(stream.widgetEvents().map(({ id }) => names.get(id))).toEqual(expectedNames);
    expectNothingOutside(filter, stream.widgetEvents());
    stream.close();
  }
  everything.close();
});
