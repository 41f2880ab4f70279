import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { type ConsoleClient, createWidgets, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender, type HookBody, type SentHook } from '../drivers/cluster/hook-sender.ts';
import { startService, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { rejectPayloadsInMongo, rejectPayloadsInSqlite } from '../faults/unstorable-payloads.ts';

const hookCount = 1_000;
const poisonCount = 50;
const widgetCount = 40;
/** From the last 202 until a stream has received the events of all other hooks. */
const receivedWithinMs = 5_000;

/** A running service with a real store, in which a test can make payloads unstorable. */
interface Deployment {
  readonly url: () => string;
  /** Makes payloads that contain `word` unstorable; null ends this. */
  rejectPayloads(word: string | null): Promise<void>;
  dispose(): Promise<void>;
}

const unlimited = { API_RATE_PER_SECOND: '0', HOOK_RATE_PER_SECOND: '0' };

async function deployCluster(): Promise<Deployment> {
  const run = await openClusterRun();
  const { url } = await run.startApi(unlimited);
  await Promise.all([run.startWorker(), run.startWorker()]);
  const { MONGODB_URL = '' } = run.environment;
  return {
    url: () => url,
    rejectPayloads: (word) => rejectPayloadsInMongo(MONGODB_URL, 'outbox', word),
    dispose: () => run.dispose(),
  };
}

/** Only the process may have the SQLite file open, so it is stopped while the file is changed. */
async function deployEmbedded(): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-poison-'));
  const start = () => startService('api', { DATA_DIR: folder, ADMIN_PASSWORD: testAdmin.password, ...unlimited });
  let service = await start();
  return {
    url: () => service.url,
    rejectPayloads: async (word) => {
      await service.stop('SIGINT');
      rejectPayloadsInSqlite(folder, 'outbox', word);
      service = await start();
    },
    dispose: async () => {
      await service.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface DeliveryBody {
  readonly eventId: string;
  readonly state: string;
  readonly reason: string | null;
  readonly attempts: number;
}

const isPoison = (body: HookBody) => body.payload?.poison === true;

describe.each([
  ['cluster', deployCluster],
  ['embedded', deployEmbedded],
])('poison hooks (%s backend)', (_, deploy) => {
  let deployment: Deployment;
  let integration: { id: string; url: string };
  let subscription: { url: string };
  let widgetIds: string[];
  let sent: SentHook[];

  const signInHere = async (): Promise<ConsoleClient> => signIn(deployment.url());
  const toCurrentUrl = (url: string) => withOrigin({ url: deployment.url() }, url);
  const openFullStream = () => openStream(toCurrentUrl(subscription.url), { lastEventId: 'earliest' });

  beforeAll(async () => {
    deployment = await deploy();
    const client = await signInHere();
    widgetIds = await createWidgets(client, widgetCount);
    integration = await client.createIntegration('factory');
    subscription = await client.createSubscription('screen');
    await deployment.rejectPayloads('poison');
  });
  afterAll(() => deployment.dispose());

  async function listDeliveries(client: ConsoleClient, query: string) {
    const path = `/api/v1/integrations/${integration.id}/deliveries?${query}`;
    return (await (await client.request('GET', path)).json()) as { items: DeliveryBody[]; totalItems: number };
  }

  test('become dead letters with their reason; the other 950 of 1 000 hooks take effect within 5 s', async () => {
    const bodies = buildHooks(widgetIds, hookCount).map((body, index) =>
      index % (hookCount / poisonCount) === 7 ? { ...body, payload: { ...body.payload, poison: true } } : body,
    );
    const stream = await openFullStream();
    const countHookEvents = () => stream.widgetEvents().filter(({ data }) => data.includes('"origin":"hook"')).length;
    const sender = createHookSender(32);
    sent = await sender.sendAll(bodies, () => toCurrentUrl(integration.url));
    sender.close();
    expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
    await stream.until(
      () => countHookEvents() >= hookCount - poisonCount,
      'an event for every other hook',
      receivedWithinMs,
    );

    const client = await signInHere();
    const areDead = async () => (await listDeliveries(client, 'state=dead')).totalItems === poisonCount;
    await eventually(areDead, 'every poison hook is a dead letter', receivedWithinMs);
    const dead = (await listDeliveries(client, 'state=dead&pageSize=200')).items;
    expect(new Set(dead.map(({ eventId }) => eventId))).toEqual(
      new Set(sent.filter(({ body }) => isPoison(body)).map(({ eventId }) => eventId)),
    );
    for (const delivery of dead) expect(delivery).toMatchObject({ state: 'dead', reason: 'store-refused' });
    expect(countHookEvents()).toBe(hookCount - poisonCount);
    expectEachHookOnce(
      sent.filter(({ body }) => !isPoison(body)),
      stream.widgetEvents(),
    );
    expectDenseOrder(stream.widgetEvents());
    stream.close();
  });

  test('do not delay later hooks for the same widgets', async () => {
    const stream = await openFullStream();
    const sender = createHookSender(8);
    const bodies = buildHooks(widgetIds, widgetCount).map((body) => ({ ...body, kind: 'retired' as const }));
    const laterHooks = await sender.sendAll(bodies, () => toCurrentUrl(integration.url));
    sender.close();
    const hasEvents = () =>
      laterHooks.every(({ eventId }) => stream.events.some(({ data }) => data.includes(eventId ?? '-')));
    await stream.until(hasEvents, 'an event for every later hook', receivedWithinMs);
    sent = [...sent, ...laterHooks];
    stream.close();
  });

  test('take effect exactly once when they are redriven twice after the cause is removed', async () => {
    await deployment.rejectPayloads(null);
    const client = await signInHere();
    const dead = (await listDeliveries(client, 'state=dead&pageSize=200')).items;
    const buildPath = ({ eventId }: Pick<DeliveryBody, 'eventId'>) =>
      `/api/v1/integrations/${integration.id}/deliveries/${eventId}`;
    for (const delivery of dead) {
      const redrive = () => client.request('POST', `${buildPath(delivery)}/redrive`);
      const statuses = (await Promise.all([redrive(), redrive()])).map(({ status }) => status).toSorted();
      // The first may already be published when the second is handled. Then the second is answered 409.
      expect(statuses[0]).toBe(202);
      expect([202, 409]).toContain(statuses[1]);
    }

    const arePublished = async () => (await listDeliveries(client, 'state=published')).totalItems === sent.length;
    await eventually(arePublished, 'every delivery is published');
    expect((await listDeliveries(client, 'state=dead')).totalItems).toBe(0);
    for (const { eventId } of dead.slice(0, 3)) {
      const answer = await client.request('GET', buildPath({ eventId }));
      const delivery = (await answer.json()) as DeliveryBody & { payload: object };
      expect(delivery).toMatchObject({ state: 'published', reason: null, payload: { poison: true } });
    }
    const stream = await openFullStream();
    await stream.until(
      () => stream.widgetEvents().length >= widgetCount + sent.length,
      'every event',
      receivedWithinMs,
    );
    expectEachHookOnce(sent, stream.widgetEvents());
    expectDenseOrder(stream.widgetEvents());
    const widget = (await (await client.request('GET', `/api/v1/widgets/${widgetIds[0]}`)).json()) as object;
    expect(widget).toMatchObject({ version: 1 + hookCount / widgetCount + 1, state: 'retired' });
    stream.close();
  });
});
