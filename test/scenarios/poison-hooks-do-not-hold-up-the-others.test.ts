import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDenseOrder, expectEachHookOnce } from '../checkers/delivered-once-in-order.ts';
import { openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { createHookSender, type HookBody, type SentHook } from '../drivers/hook-sender.ts';
import { onPod, startService } from '../drivers/service-process.ts';
import { openStream } from '../drivers/stream-client.ts';
import { createWidgets, hooksOver } from '../drivers/traffic.ts';
import { refusePayloadsInMongo, refusePayloadsInSqlite } from '../faults/refuse-payloads.ts';

const hookCount = 1_000;
const poisonCount = 50;
const widgetCount = 40;
/** From the last 202 until every good hook has been told. */
const heldUpMaxMs = 5_000;

/** A running service whose store can be made to refuse a payload, really and for good. */
interface Deployment {
  readonly url: () => string;
  refuse(word: string | null): Promise<void>;
  dispose(): Promise<void>;
}

const unlimited = { API_RATE_PER_SECOND: '0', HOOK_RATE_PER_SECOND: '0' };

async function deployCluster(): Promise<Deployment> {
  const run = await openClusterRun();
  const { url } = await run.startApi(unlimited);
  await Promise.all([run.startWorker(), run.startWorker()]);
  const { MONGODB_URL = '', MONGODB_DATABASE = '' } = run.environment;
  return {
    url: () => url,
    refuse: (word) => refusePayloadsInMongo({ url: MONGODB_URL, database: MONGODB_DATABASE }, 'outbox', word),
    dispose: () => run.dispose(),
  };
}

/** The file belongs to the process alone: it is changed while that is stopped. */
async function deployEmbedded(): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-poison-'));
  const start = () => startService('api', { DATA_DIR: folder, ADMIN_PASSWORD: testAdmin.password, ...unlimited });
  let service = await start();
  return {
    url: () => service.url,
    refuse: async (word) => {
      await service.stop('SIGINT');
      refusePayloadsInSqlite(folder, 'outbox', word);
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
])('on the %s', (_, deploy) => {
  let deployment: Deployment;
  let integration: { id: string; url: string };
  let subscription: { url: string };
  let widgetIds: string[];
  let sent: SentHook[];

  const console_ = async (): Promise<ConsoleClient> => signIn(deployment.url());
  const here = (url: string) => onPod({ url: deployment.url() }, url);
  const streamAll = () => openStream(here(subscription.url), { lastEventId: 'earliest' });

  beforeAll(async () => {
    deployment = await deploy();
    const client = await console_();
    widgetIds = await createWidgets(client, widgetCount);
    integration = await client.createIntegration('factory');
    subscription = await client.createSubscription('screen');
    await deployment.refuse('poison');
  });
  afterAll(() => deployment.dispose());

  async function deliveries(client: ConsoleClient, query: string) {
    const path = `/api/v1/integrations/${integration.id}/deliveries?${query}`;
    return (await (await client.request('GET', path)).json()) as { items: DeliveryBody[]; totalItems: number };
  }

  it('950 of 1 000 hooks take effect at once, and 50 stand aside with their reason', async () => {
    const bodies = hooksOver(widgetIds, hookCount).map((body, index) =>
      index % (hookCount / poisonCount) === 7 ? { ...body, payload: { ...body.payload, poison: true } } : body,
    );
    const stream = await streamAll();
    const toldHooks = () => stream.widgetEvents().filter(({ data }) => data.includes('"origin":"hook"')).length;
    const sender = createHookSender(32);
    sent = await sender.sendAll(bodies, () => here(integration.url));
    sender.close();
    expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
    await stream.until(() => toldHooks() >= hookCount - poisonCount, 'every good hook is told', heldUpMaxMs);

    const client = await console_();
    const isAllSaid = async () => (await deliveries(client, 'state=dead')).totalItems === poisonCount;
    await eventually(isAllSaid, 'every poisoned hook is a dead letter', heldUpMaxMs);
    const dead = (await deliveries(client, 'state=dead&pageSize=200')).items;
    expect(new Set(dead.map(({ eventId }) => eventId))).toEqual(
      new Set(sent.filter(({ body }) => isPoison(body)).map(({ eventId }) => eventId)),
    );
    for (const each of dead) expect(each).toMatchObject({ state: 'dead', reason: 'store-refused' });
    expect(toldHooks()).toBe(hookCount - poisonCount);
    expectEachHookOnce(
      sent.filter(({ body }) => !isPoison(body)),
      stream.widgetEvents(),
    );
    expectDenseOrder(stream.widgetEvents());
    stream.close();
  });

  it('later hooks go on as if nothing were', async () => {
    const stream = await streamAll();
    const sender = createHookSender(8);
    const later = hooksOver(widgetIds, widgetCount).map((body) => ({ ...body, kind: 'retired' as const }));
    const more = await sender.sendAll(later, () => here(integration.url));
    sender.close();
    const isTold = () => more.every(({ eventId }) => stream.events.some(({ data }) => data.includes(eventId ?? '-')));
    await stream.until(isTold, 'every later hook is told', heldUpMaxMs);
    sent = [...sent, ...more];
    stream.close();
  });

  it('once the cause is gone, each that is redriven takes effect exactly once, however often that is asked', async () => {
    await deployment.refuse(null);
    const client = await console_();
    const dead = (await deliveries(client, 'state=dead&pageSize=200')).items;
    const path = ({ eventId }: DeliveryBody) => `/api/v1/integrations/${integration.id}/deliveries/${eventId}`;
    for (const each of dead) {
      const redrive = () => client.request('POST', `${path(each)}/redrive`);
      const statuses = (await Promise.all([redrive(), redrive()])).map(({ status }) => status).toSorted();
      // One may be through before the other is looked at: then there is nothing to be tried again.
      expect(statuses[0]).toBe(202);
      expect([202, 409]).toContain(statuses[1]);
    }

    const isAllDone = async () => (await deliveries(client, 'state=published')).totalItems === sent.length;
    await eventually(isAllDone, 'every delivery is published');
    expect((await deliveries(client, 'state=dead')).totalItems).toBe(0);
    for (const each of dead.slice(0, 3)) {
      const one = (await (await client.request('GET', path(each))).json()) as DeliveryBody & { payload: object };
      expect(one).toMatchObject({ state: 'published', reason: null, payload: { poison: true } });
    }
    const stream = await streamAll();
    await stream.until(() => stream.widgetEvents().length >= widgetCount + sent.length, 'every event', heldUpMaxMs);
    expectEachHookOnce(sent, stream.widgetEvents());
    expectDenseOrder(stream.widgetEvents());
    const widget = (await (await client.request('GET', `/api/v1/widgets/${widgetIds[0]}`)).json()) as object;
    expect(widget).toMatchObject({ version: 1 + hookCount / widgetCount + 1, state: 'retired' });
    stream.close();
  });
});
