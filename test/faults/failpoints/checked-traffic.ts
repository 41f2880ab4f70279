import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../../checkers/delivered-once-in-order.ts';
import type { ConsoleClient } from '../../drivers/console-client.ts';
import { createHookSender, type HookBody, type SentHook } from '../../drivers/hook-sender.ts';
import { onPod, type ServiceProcess } from '../../drivers/service-process.ts';
import { startStopwatch } from '../../drivers/stopwatch.ts';
import { openStream, type StreamClient, type StreamEvent } from '../../drivers/stream-client.ts';
import { expectEachCreationOnce, expectLedger, expectVersions } from './check-what-is-stored.ts';

type Pod = Pick<ServiceProcess, 'url'>;

export interface CheckedTraffic {
  /** Created by now; the first gets most of the hooks. */
  readonly widgetIds: readonly string[];
  /** Sends hooks to a widget that gets most of them, to others and to none, and creates a widget meanwhile. */
  send(): Promise<void>;
  /** Creates a widget, and asks again under its key until there is an answer. */
  create(): Promise<void>;
  /** Posts one hook, and posts it again under its id until it is answered 202. */
  post(widgetId: string | null): Promise<void>;
  /** Resolves once all that was acknowledged has been told on the stream; `when` is for the message if it is not. */
  allTold(withinMs?: number, when?: string): Promise<void>;
  /** What the stream has told of widgets, over all its connections. */
  events(): readonly StreamEvent[];
  /** Goes on with the stream where it ended, as a browser does. */
  resume(): Promise<void>;
  /** Fails where something acknowledged was lost, doubled or put out of order, on the stream or in what is stored. */
  check(): Promise<void>;
  close(): void;
}

export interface CheckedTrafficOptions {
  readonly client: ConsoleClient;
  /** Where requests go, in turn; asked anew at every try. */
  readonly pods: () => readonly Pod[];
  /** A caller that has no answer tries for so long. */
  readonly triesForMs?: number;
}

interface Created {
  readonly key: string;
  readonly body: string;
  readonly id: string;
}

const widgetsBesides = 3;
const hooksPerSend = 12;

/** Hooks and creates of callers that repeat what was not answered, beside a stream that sees everything. */
export async function openCheckedTraffic(options: CheckedTrafficOptions): Promise<CheckedTraffic> {
  const { client, pods, triesForMs = 30_000 } = options;
  const [firstPod] = pods();
  const subscription = await client.createSubscription('everything');
  const integration = await client.createIntegration('factory');
  const sender = createHookSender(16);
  const created: Created[] = [];
  const sent: SentHook[] = [];
  const streams: StreamClient[] = [await openStream(onPod(firstPod as Pod, subscription.url))];
  let turn = 0;
  let number = 0;
  const nextPod = () => pods()[turn++ % pods().length] as Pod;
  const events = () => streams.flatMap((stream) => stream.widgetEvents());

  /** Repeats what was refused for now or never answered. */
  async function untilAnswered<T extends { readonly status: number }>(
    wanted: number,
    ask: () => Promise<T>,
  ): Promise<T> {
    for (const elapsedMs = startStopwatch(); ; await delay(50)) {
      const answer = await ask();
      if (answer.status === wanted) return answer;
      const isOpen = answer.status === 0 || answer.status === 503;
      if (!isOpen || elapsedMs() > triesForMs) throw new Error(`answered ${answer.status} instead of ${wanted}`);
    }
  }

  async function askForWidget(key: string) {
    const body = { name: `widget of ${key}`, labels: ['line'] };
    try {
      const answer = await client.on(nextPod().url).createWidget(body, { 'idempotency-key': key });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return { status: 0, text: '' };
    }
  }

  async function create(): Promise<void> {
    const key = randomUUID();
    const { text: body } = await untilAnswered(201, () => askForWidget(key));
    created.push({ key, body, id: (JSON.parse(body) as { id: string }).id });
  }

  async function post(widgetId: string | null): Promise<void> {
    const id = `hook-${randomUUID()}`;
    const body: HookBody = {
      kind: 'updated',
      occurredAt: new Date().toISOString(),
      ...(widgetId === null ? {} : { widgetId }),
      payload: { number: number++ },
    };
    const headers = { 'webhook-id': id };
    sent.push(await untilAnswered(202, () => sender.send(onPod(nextPod(), integration.url), body, headers)));
  }

  /** Half of them to one widget, and one in twelve to none. */
  const targetOf = (index: number): string | null => {
    if (index === hooksPerSend - 1) return null;
    return created[index % 2 === 0 ? 0 : 1 + (index % widgetsBesides)]?.id ?? null;
  };

  const current = () => streams.at(-1) as StreamClient;
  await current().until(() => current().events.length > 0, 'stream.open');
  for (let count = 0; count <= widgetsBesides; count += 1) await create();

  return {
    get widgetIds() {
      return created.map(({ id }) => id);
    },
    events,
    create,
    post,
    send: async () => {
      const hooks = Array.from({ length: hooksPerSend }, (_, index) => post(targetOf(index)));
      await Promise.all([...hooks, create()]);
    },
    allTold: (withinMs = 15_000, when = '') => {
      const isTold = () => {
        const told = events().map((event) => JSON.parse(event.data) as { id: string; subject?: string });
        const ids = new Set(told.flatMap(({ id, subject }) => [id, subject]));
        return sent.every(({ eventId }) => ids.has(eventId ?? '')) && created.every(({ id }) => ids.has(id));
      };
      return current().until(isTold, `an event for all that was acknowledged ${when}`, withinMs);
    },
    resume: async () => {
      const lastEventId = streams.findLast((stream) => stream.lastEventId() !== '')?.lastEventId() ?? '';
      streams.push(await openStream(onPod(pods()[0] as Pod, subscription.url), { lastEventId }));
    },
    check: async () => {
      for (const stream of streams) expect(stream.events.map(({ event }) => event)).not.toContain('stream.gap');
      expectEachHookOnce(sent, events());
      expectDenseOrder(events());
      const widgetIds = created.map(({ id }) => id);
      expectEachCreationOnce(widgetIds, events());
      for (const { key, body } of created) {
        expect(await untilAnswered(201, () => askForWidget(key))).toMatchObject({ text: body });
      }
      const reader = client.on(nextPod().url);
      await expectVersions(reader, widgetIds, sent);
      await expectLedger(reader, integration.id, sent, events());
    },
    close: () => {
      for (const stream of streams) stream.close();
      sender.close();
    },
  };
}
