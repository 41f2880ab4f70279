import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../../checkers/delivered-once-in-order.ts';
import type { ConsoleClient } from '../../drivers/app/console-client.ts';
import { createHookSender, type HookBody, type SentHook } from '../../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../../drivers/cluster/service-process.ts';
import { openStream, type StreamClient, type StreamEvent } from '../../drivers/streams/stream-client.ts';
import { startStopwatch } from '../../drivers/tools/stopwatch.ts';

interface ListedDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly position: string | null;
}

const pageSize = 100;

/** Asserts that each widget has exactly one creation event, and that it is the first event of the widget. */
function expectOneCreationEach(widgetIds: readonly string[], events: readonly StreamEvent[]): void {
  const parsed = events.map(({ data }) => JSON.parse(data) as { subject?: string; data: { origin: string } });
  for (const widgetId of widgetIds) {
    const origins = parsed.filter(({ subject }) => subject === widgetId).map(({ data }) => data.origin);
    expect(origins[0], widgetId).toBe('api');
    expect(origins.slice(1), widgetId).not.toContain('api');
  }
}

/** Asserts that each accepted hook raised its widget's version by one, and that nothing else did. */
async function expectVersions(
  client: ConsoleClient,
  widgetIds: readonly string[],
  sent: readonly SentHook[],
): Promise<void> {
  for (const widgetId of widgetIds) {
    const hooks = new Set(sent.flatMap(({ body, eventId }) => (body.widgetId === widgetId ? [eventId] : [])));
    const answer = await client.request('GET', `/api/v1/widgets/${widgetId}`);
    expect(((await answer.json()) as { version: number }).version, widgetId).toBe(1 + hooks.size);
  }
}

/**
 * Asserts that each accepted hook has one ledger row, in the state `published`. Its position, if set, is the event's.
 */
async function expectLedger(
  client: ConsoleClient,
  integrationId: string,
  sent: readonly SentHook[],
  events: readonly StreamEvent[],
): Promise<void> {
  const rows = await listDeliveries(client, integrationId);
  const positions = new Map(events.map(({ id, data }) => [(JSON.parse(data) as { id: string }).id, id]));
  expect(new Set(rows.map(({ eventId }) => eventId))).toEqual(new Set(sent.map(({ eventId }) => eventId)));
  for (const { eventId, state, position } of rows) {
    expect({ eventId, state }).toEqual({ eventId, state: 'published' });
    if (position !== null) expect(position).toBe(positions.get(eventId));
  }
}

async function listDeliveries(client: ConsoleClient, integrationId: string): Promise<ListedDelivery[]> {
  const rows: ListedDelivery[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/v1/integrations/${integrationId}/deliveries?page=${page}&pageSize=${pageSize}`;
    const { items, hasNext } = (await (await client.request('GET', path)).json()) as {
      items: ListedDelivery[];
      hasNext: boolean;
    };
    rows.push(...items);
    if (!hasNext) return rows;
  }
}

type Pod = Pick<ServiceProcess, 'url'>;

export interface CheckedTraffic {
  /** All widgets so far. The first one receives most of the hooks. */
  readonly widgetIds: readonly string[];
  /** Sends 12 hooks and creates a widget. Half of the hooks go to the first widget, and one names no widget. */
  send(): Promise<void>;
  /** Creates a widget. Repeats the request with the same key until it is answered 201. */
  create(): Promise<void>;
  /** Posts one hook. Repeats it with the same id until it is answered 202. */
  post(widgetId: string | null): Promise<void>;
  /** Resolves when the stream has received the events of all accepted requests. */
  waitForEvents(withinMs?: number): Promise<void>;
  /** Returns the events of widgets that the stream has received, over all its connections. */
  events(): readonly StreamEvent[];
  /** Opens the stream again at its last event id, as a browser does. */
  resume(): Promise<void>;
  /** Asserts that nothing accepted is lost, duplicated or out of order, on the stream and in the stores. */
  check(): Promise<void>;
  close(): void;
}

export interface CheckedTrafficOptions {
  readonly client: ConsoleClient;
  /** Returns the pods that receive requests in rotation. It is called for every attempt. */
  readonly pods: () => readonly Pod[];
}

interface Created {
  readonly key: string;
  readonly body: string;
  readonly id: string;
}

const otherWidgets = 3;
const hooksPerSend = 12;
/** How long a caller repeats a request that is answered 503 or not at all. */
const repeatForMs = 30_000;

/** Sends hooks and creates, repeats those without success, and reads a stream without a filter. */
export async function openCheckedTraffic(options: CheckedTrafficOptions): Promise<CheckedTraffic> {
  const { client, pods } = options;
  const [firstPod] = pods();
  const subscription = await client.createSubscription('everything');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(16);
  const created: Created[] = [];
  const sent: SentHook[] = [];
  const streams: StreamClient[] = [await openStream(withOrigin(firstPod as Pod, subscription.url))];
  let attempts = 0;
  let hooks = 0;
  const selectNextPod = () => pods()[attempts++ % pods().length] as Pod;
  const events = () => streams.flatMap((stream) => stream.widgetEvents());

  /** Repeats a request without an answer (status 0), and one that is told to wait. Throws on any other status. */
  async function repeatUntil<T extends { readonly status: number }>(
    expectedStatus: number,
    send: () => Promise<T>,
  ): Promise<T> {
    for (const elapsedMs = startStopwatch(); ; await delay(50)) {
      const answer = await send();
      if (answer.status === expectedStatus) return answer;
      const isRepeatable = [0, 429, 503].includes(answer.status);
      if (!isRepeatable || elapsedMs() > repeatForMs) {
        throw new Error(`a request was answered ${answer.status} instead of ${expectedStatus}`);
      }
    }
  }

  async function sendCreate(key: string) {
    const body = { name: `widget of ${key}`, labels: ['line'] };
    try {
      const answer = await client.on(selectNextPod().url).createWidget(body, { 'idempotency-key': key });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return { status: 0, text: '' };
    }
  }

  async function create(): Promise<void> {
    const key = randomUUID();
    const { text: body } = await repeatUntil(201, () => sendCreate(key));
    created.push({ key, body, id: (JSON.parse(body) as { id: string }).id });
  }

  async function post(widgetId: string | null): Promise<void> {
    const id = `hook-${randomUUID()}`;
    const body: HookBody = {
      kind: 'updated',
      occurredAt: new Date().toISOString(),
      ...(widgetId === null ? {} : { widgetId }),
      payload: { number: hooks++ },
    };
    const headers = { 'webhook-id': id };
    sent.push(await repeatUntil(202, () => sender.send(withOrigin(selectNextPod(), integration.url), body, headers)));
  }

  /** Half of the hooks go to the first widget, and one of twelve names no widget. */
  const selectTarget = (index: number): string | null => {
    if (index === hooksPerSend - 1) return null;
    return created[index % 2 === 0 ? 0 : 1 + (index % otherWidgets)]?.id ?? null;
  };

  const getStream = () => streams.at(-1) as StreamClient;
  await getStream().until(() => getStream().events.length > 0, 'stream.open');
  for (let count = 0; count <= otherWidgets; count += 1) await create();

  return {
    get widgetIds() {
      return created.map(({ id }) => id);
    },
    events,
    create,
    post,
    send: async () => {
      const posts = Array.from({ length: hooksPerSend }, (_, index) => post(selectTarget(index)));
      await Promise.all([...posts, create()]);
    },
    waitForEvents: (withinMs = 15_000) => {
      const hasAllEvents = () => {
        const received = events().map((event) => JSON.parse(event.data) as { id: string; subject?: string });
        const ids = new Set(received.flatMap(({ id, subject }) => [id, subject]));
        return sent.every(({ eventId }) => ids.has(eventId ?? '')) && created.every(({ id }) => ids.has(id));
      };
      return getStream().until(hasAllEvents, 'an event for every accepted request', withinMs);
    },
    resume: async () => {
      const lastEventId = streams.findLast((stream) => stream.lastEventId() !== '')?.lastEventId() ?? '';
      streams.push(await openStream(withOrigin(pods()[0] as Pod, subscription.url), { lastEventId }));
    },
    check: async () => {
      for (const stream of streams) expect(stream.events.map(({ event }) => event)).not.toContain('stream.gap');
      expectEachHookOnce(sent, events());
      expectDenseOrder(events());
      const widgetIds = created.map(({ id }) => id);
      expectOneCreationEach(widgetIds, events());
      for (const { key, body } of created) {
        expect(await repeatUntil(201, () => sendCreate(key))).toMatchObject({ text: body });
      }
      const reader = client.on(selectNextPod().url);
      await expectVersions(reader, widgetIds, sent);
      await expectLedger(reader, integration.id, sent, events());
    },
    close: () => {
      for (const stream of streams) stream.close();
      sender.close();
    },
  };
}
