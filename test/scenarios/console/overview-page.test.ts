import { createHookSender, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { openFaultCluster } from '../../faults/fault-cluster.ts';
import { describeEmbedded, postHook, showService } from './shown-service.ts';

/** One story: what the overview says while the only worker is gone, and after it is back. */
describe.runIf(hasBrowser && process.env.MONGODB_URL !== undefined)('the overview of a cluster', () => {
  const shown = showService(() =>
    openFaultCluster({
      pods: 2,
      workers: 1,
      hasLinks: false,
      environment: { API_RATE_PER_SECOND: '0' },
    }),
  );
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    ({ page, complaints } = await shown.openSignedIn('/overview'));
  });

  const ready = (name: string) =>
    page
      .getByRole('list', { name })
      .getByRole('listitem')
      .filter({ hasText: /^Ready/ });

  test('shows each pod and each worker', async () => {
    await page.getByText('All systems normal').waitFor();
    await page.getByText('2 of 2 ready').waitFor();
    await page.getByText('1 of 1 ready').waitFor();
    expect(await ready('Pods').count()).toBe(2);
    expect(await ready('Workers').count()).toBe(1);
  });

  const queue = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Hook queue' }) });

  test('says that no worker runs, and what follows from that', async () => {
    await shown.service.workers[0]?.kill();
    await page.getByText('2 problems, 1 urgent: users are affected').waitFor();
    await page.getByText('No worker runs.').waitFor();
    await page.getByText(/^silent for \d+ s$/).waitFor();
    await page.getByText('nothing processes them').waitFor();
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/\/icon-urgent\.svg$/);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('keeps its height while hooks wait', async () => {
    await queue().getByText('The queue is empty.').waitFor();
    const before = await queue().boundingBox();
    const { url } = await shown.client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    await postHook(shown.service.url + new URL(url).pathname, { kind: 'created' });
    await queue().getByText('1 job is waiting. The oldest was queued').waitFor();
    expect((await queue().boundingBox())?.height).toBe(before?.height);
    await queue().getByText('By partition').click();
    await queue().getByRole('table', { name: 'Hook queue' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('says that all systems are normal once the worker is back', async () => {
    await shown.service.workers[0]?.start();
    // The killed worker is forgotten after a minute.
    await page.getByText('All systems normal').waitFor({ timeout: 90_000 });
    await ready('Workers').waitFor();
    expect(await page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/\/icon\.svg$/);
    expect(complaints).toEqual([]);
  });

  test('says why a pod is not ready', async () => {
    // Only a task that makes no progress for a minute makes a pod not ready: the answer is changed on its way.
    await page.route('**/api/v1/overview', async (route) => {
      const response = await route.fetch();
      const overview = await response.json();
      overview.pods[0].notReady = ['tail: it is behind the event log', 'control: a read has not returned'];
      await route.fulfill({ response, json: overview });
    });
    const reasons = 'tail: it is behind the event log; control: a read has not returned';
    const pods = page.getByRole('list', { name: 'Pods' }).getByRole('listitem');
    await pods.filter({ hasText: reasons }).getByText('Not ready').waitFor();
    await page.getByText('1 of 2 ready').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});

/** One story: all is well, then hooks are dead. The overview leads to them, and they are redriven together. */
describeEmbedded('the overview of an embedded service', (shown) => {
  const longName = 'مصنع '.repeat(20).trim();
  let page: Page;
  let complaints: readonly string[];
  let widgetId: string;
  let factory: HookSender;
  let other: HookSender;
  const hook = (payload: Record<string, number>) =>
    ({ kind: 'updated', occurredAt: new Date().toISOString(), widgetId, payload }) as const;
  beforeAll(async () => {
    const { service, client } = shown;
    const openSender = async (name: string) => {
      const { url } = await client.api.POST('/api/v1/integrations', { body: { name } });
      return createHookSender({ url: service.url + new URL(url).pathname });
    };
    widgetId = (await client.createWidget({ name: 'Boiler' })).id;
    [factory, other] = [await openSender('Factory'), await openSender(longName)];
    await factory.send(hook({ lux: 1 }));
    ({ page, complaints } = await shown.openSignedIn('/overview'));
  });

  const integrations = () => page.getByRole('table', { name: 'Integrations' }).locator('tbody').getByRole('row');
  const dead = () => page.getByRole('table', { name: 'Dead deliveries' }).locator('tbody').getByRole('row');

  test('tells the values of the last hour with their times, by pointer and by keyboard', async () => {
    await page.getByText(/^Times are in \S+\.$/).waitFor();
    const line = page.getByRole('slider', { name: 'Open streams: The last hour' });
    await line.focus();
    await page.keyboard.press('Home');
    expect(await line.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d: No data( yet)?$/);
    await page.keyboard.press('End');
    expect(await line.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d: /);
    await line.hover();
    await page
      .getByText(/^\d\d:\d\d:\d\d$/)
      .first()
      .waitFor();
    expect(await page.getByText(/^\d\d:\d\d:\d\d$/).count()).toBe(4);
    expect(await findBarriers(page)).toEqual([]);
    await page.mouse.move(0, 0);
  });

  test('writes numbers and times as the reader knows them, and in UTC after one click', async () => {
    const reader = await shown.openSignedIn('/overview', { locale: 'de-DE', timezoneId: 'Asia/Tokyo' });
    await reader.page.getByText('Times are in Asia/Tokyo.').waitFor();
    await reader.page.getByRole('button', { name: 'show times in UTC' }).click();
    await reader.page.getByText('Times are in UTC.').waitFor();
    await reader.page.goto(`${shown.service.url}/console/widgets/${widgetId}`);
    await reader.page
      .getByText(/^\d+\. \S+ \d{4}, \d\d:\d\d:\d\d UTC/)
      .first()
      .waitFor();
    expect(reader.complaints).toEqual([]);
  });

  test('says that all systems are normal, and what each integration has sent', async () => {
    await page.getByText('All systems normal').waitFor();
    await page.getByText('1 of 1 ready').waitFor();
    const row = integrations().filter({ has: page.getByRole('link', { name: 'Factory', exact: true }) });
    await row.getByRole('img', { name: /^The busiest hour, from \d\d:00, had 1 hook\.$/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('names the integrations with dead deliveries, and leads to them', async () => {
    await shown.service.rejectPayloads('poison');
    for (const sender of [factory, factory, other]) await sender.send(hook({ poison: 1 }));
    await page.getByText('1 problem, not urgent').waitFor();
    await page.getByText('3 hooks from 2 integrations could not be processed').waitFor();
    await page.getByRole('link', { name: 'Integrations 3 dead' }).waitFor();
    const [runbook] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Runbook' }).click(),
    ]);
    await runbook.getByRole('heading', { level: 1, name: 'WidgetDeadLetters' }).waitFor();
    expect(await findBarriers(runbook)).toEqual([]);
    await runbook.close();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dead deliveries' }).waitFor();
    await expect.poll(() => dead().count()).toBe(3);
    expect(await dead().filter({ hasText: longName }).count()).toBe(1);
    expect(await dead().getByText('The database rejects the content of this hook.').count()).toBe(3);
    for (const width of [320, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
      expect(await findBarriers(page)).toEqual([]);
    }
  });

  test('says that all are dead again if they are redriven too early', async () => {
    await page.getByRole('button', { name: 'Select all 3 dead' }).click();
    await page.getByRole('button', { name: 'Redrive 3' }).click();
    const outcome = '3 deliveries are dead again: rejected by the database.';
    await page.getByRole('alert').getByText(outcome).waitFor();
    // The redrive has ended, and nothing is selected any more. Until then, its button is pale.
    await page.getByRole('button', { name: 'Select all 3 dead' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('redrives one, then all that are left, once the cause is gone', async () => {
    await shown.service.rejectPayloads(null);
    await dead().first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Redrive 1' }).click();
    // What is selected meanwhile stays.
    await dead().nth(1).getByRole('checkbox').check();
    await page.getByText('1 delivery queued again.').waitFor();
    await page.getByRole('button', { name: 'Select all 2 dead' }).waitFor();
    await page.locator('[aria-busy="false"]').getByText('Redrive 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Select all 2 dead' }).click();
    // A slow worker: the deliveries are still dead when the page looks.
    const query = { state: 'dead', page: 1, pageSize: 25 } as const;
    const before = await shown.client.api.GET('/api/v1/deliveries', { params: { query } });
    let looks = 0;
    await page.route(/\/deliveries\?/, (route) => {
      looks += 1;
      return looks <= 3 ? route.fulfill({ json: before }) : route.continue();
    });
    await page.getByRole('button', { name: 'Redrive 2' }).click();
    await page.getByRole('heading', { name: 'No dead deliveries' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('All systems normal').waitFor();
    expect(complaints).toEqual([]);
  });
});
