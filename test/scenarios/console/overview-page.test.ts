import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, openProfile, openTab, signInByPage } from '../../drivers/cluster/console-browser.ts';
import { openFaultCluster } from '../../faults/fault-cluster.ts';
import { showService } from './shown-service.ts';

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
    const profile = await openProfile(shown.browser);
    // What the charts write is in a canvas: no locator finds it.
    await profile.addInitScript(`globalThis.drawnTexts = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        drawnTexts.push(text);
        fillText.call(this, text, ...place);
      };`);
    ({ page, complaints } = await openTab(profile, shown.service.url, '/overview'));
    await signInByPage(page);
  });

  const ready = (name: string) => page.getByRole('table', { name }).getByRole('row').filter({ hasText: 'Ready' });

  test('shows each pod and each worker', async () => {
    await page.getByText('All is well.').waitFor();
    expect(await ready('Pods').count()).toBe(2);
    expect(await ready('Workers').count()).toBe(1);
  });

  const queue = () => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Hook queue' }) });

  test('names the times of its charts as everywhere else: 24 hours, in the zone that it names', async () => {
    await page.getByText(/^Times are in \S+\.$/).waitFor();
    const times = await page.evaluate<string[]>('drawnTexts.filter((text) => text.includes(":"))');
    expect(times.length).toBeGreaterThan(0);
    for (const time of times) expect(time).toMatch(/^\d\d:\d\d$/);
  });

  test('says that no worker answers, and what follows from that', async () => {
    await shown.service.workers[0]?.kill();
    await page.getByText('No worker answers.').waitFor();
    await page.getByText('nothing processes them').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('keeps its height while hooks wait', async () => {
    await queue().getByText('The queue is empty.').waitFor();
    const before = await queue().boundingBox();
    const { url } = await shown.client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    const body = JSON.stringify({ kind: 'created', occurredAt: new Date().toISOString() });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect((await fetch(shown.service.url + new URL(url).pathname, init)).status).toBe(202);
    await queue().getByText('1 job waits. The oldest was queued').waitFor();
    expect((await queue().boundingBox())?.height).toBe(before?.height);
    await queue().getByText('By partition').click();
    await queue().getByRole('table', { name: 'Hook queue' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('says that all is well once the worker is back', async () => {
    await shown.service.workers[0]?.start();
    await page.getByText('All is well.').waitFor();
    await ready('Workers').waitFor();
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
    const reasons = 'Not ready tail: it is behind the event log; control: a read has not returned';
    await page.getByRole('table', { name: 'Pods' }).getByRole('row').filter({ hasText: reasons }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
