import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { createHookSender, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { LiveWidgets } from '@widget-service/client/live/live-widgets.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testAdmin } from '../drivers/app/console-client.ts';
import { type FollowedStream, followStream } from '../drivers/streams/followed-stream.ts';
import { watchVersions } from '../drivers/streams/watch-versions.ts';
import { type Deployment, openClusterDeployment, openEmbeddedDeployment } from '../faults/deployment.ts';

const hasCluster = process.env.MONGODB_URL !== undefined;

const deployments = [
  [
    'one embedded process',
    openEmbeddedDeployment,
    ['the process is killed and started again', 'the process is replaced'],
  ],
  [
    'a cluster',
    openClusterDeployment,
    [
      'Redis is killed and comes back',
      'one pod after the other is replaced',
      'a pod is killed',
      'a worker is killed',
      'Redis comes back empty',
    ],
  ],
] as const;

describe.each(deployments)('%s', (name, open, faultNames) => {
  const canRun = name !== 'a cluster' || hasCluster;
  let deployment: Deployment;
  let client: WidgetServiceClient;
  let sender: HookSender;
  let subscription: { id: string; url: string };
  let collections: { filter: { state?: 'active'; labels?: string[] }; live: LiveWidgets; mistakes: string[] }[];
  let stream: FollowedStream;
  const widgetIds: string[] = [];

  beforeAll(async () => {
    if (!canRun) return;
    deployment = await open();
    client = createClient({ baseUrl: deployment.url });
    await client.signIn(testAdmin);
    const onThisUrl = (url: string) => new URL(new URL(url).pathname, deployment.url).href;
    const issued = await client.api.POST('/api/v1/subscriptions', { body: { name: 'a screen' } });
    subscription = { id: issued.id, url: onThisUrl(issued.url) };
    const integration = await client.api.POST('/api/v1/integrations', { body: { name: 'a factory' } });
    sender = createHookSender({ url: onThisUrl(integration.url) });
    for (let count = 0; count < 5; count += 1) widgetIds.push((await client.createWidget({ name: 'first' })).id);
    collections = [{}, { state: 'active' as const }, { labels: ['hall'] }].map((filter) => {
      const live = client.liveWidgets({ filter, pageSize: 50 });
      return { filter, live, mistakes: watchVersions(live) };
    });
    await Promise.all(collections.map(({ live }) => live.loaded));
    stream = followStream(subscription.url);
    await stream.opened;
  });
  afterAll(async () => {
    if (!canRun) return;
    for (const { live } of collections) live.close();
    sender.close();
    stream.close();
    await deployment.dispose();
  });

  /** Creates widgets and posts hooks until it is stopped. Resolves when every hook was accepted. */
  function startTraffic(): { stop(): Promise<void> } {
    let isStopped = false;
    const run = async () => {
      for (let count = 0; !isStopped; count += 1) {
        const labels = count % 3 === 0 ? ['hall'] : [];
        // A create whose outcome stays unknown is no fault of the collection: the list decides.
        const created = await client.createWidget({ name: `widget ${count}`, labels }).catch(() => null);
        if (created !== null) widgetIds.push(created.id);
        for (const kind of ['updated', 'updated', 'retired'] as const) {
          const widgetId = widgetIds[(count * 7 + kind.length) % widgetIds.length] ?? '';
          const hook = { kind, occurredAt: new Date().toISOString(), widgetId };
          void sender.send(hook).catch(() => undefined);
        }
        await delay(20);
      }
    };
    const running = run();
    return {
      stop: async () => {
        isStopped = true;
        await running;
        await sender.idle();
      },
    };
  }

  /** The widgets of the list, as a collection shows them. */
  async function list({ state, labels }: { state?: 'active'; labels?: string[] }) {
    const widgets = [];
    for await (const { owner: _, ...widget } of client.listWidgets(state === undefined ? {} : { state })) {
      if (labels === undefined || widget.labels.some((label) => labels.includes(label))) widgets.push(widget);
    }
    return widgets;
  }

  test.runIf(canRun).each(faultNames)('every collection equals the list after: %s', async (faultName) => {
    const traffic = startTraffic();
    await delay(500);
    await (deployment.faults as Record<string, () => Promise<void>>)[faultName]?.();
    await delay(1_000);
    await traffic.stop();
    for (const { filter, live, mistakes } of collections) {
      await expect
        .poll(
          async () => {
            const shown = live.getSnapshot().map(({ owner: _, ...widget }) => widget);
            return { state: live.state, isEqual: JSON.stringify(shown) === JSON.stringify(await list(filter)) };
          },
          { timeout: 60_000, interval: 200 },
        )
        .toEqual({ state: 'live', isEqual: true });
      expect(live.getSnapshot().length).toBeGreaterThan(0);
      expect(mistakes).toEqual([]);
    }
    expect(stream.mistakes).toEqual([]);
  });

  test.runIf(canRun)('a stream ends with an error when its subscription is deleted', async () => {
    await client.api.DELETE('/api/v1/subscriptions/{id}', { params: { path: { id: subscription.id } } });
    expect(await stream.ended).toMatchObject({ name: 'StreamEndedError' });
    expect(stream.events).toBeGreaterThan(20);
  });

  test.runIf(canRun)('every collection fails when the session ends', async () => {
    await client.signOut();
    for (const { live } of collections) {
      await expect.poll(() => live.state, { timeout: 30_000 }).toBe('failed');
      expect(live.error).toMatchObject({ code: 'not-authenticated' });
    }
  });
});
