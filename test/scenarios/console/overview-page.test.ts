import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ConsoleTab,
  findBarriers,
  hasBrowser,
  openProfile,
  openTab,
  signInByPage,
  startBrowser,
} from '../../drivers/cluster/console-browser.ts';
import { type FaultCluster, openFaultCluster } from '../../faults/fault-cluster.ts';

/** One story: what the overview says while the only worker is gone, and after it is back. */
describe.runIf(hasBrowser && process.env.MONGODB_URL !== undefined)('the overview of a cluster', () => {
  let cluster: FaultCluster;
  let browser: Browser;
  let tab: ConsoleTab;
  let page: Page;
  beforeAll(async () => {
    [cluster, browser] = await Promise.all([
      openFaultCluster({ pods: 2, workers: 1, hasLinks: false, environment: { API_RATE_PER_SECOND: '0' } }),
      startBrowser(),
    ]);
    tab = await openTab(await openProfile(browser), cluster.url, '/overview');
    page = tab.page;
    await signInByPage(page);
  });
  afterAll(async () => {
    await browser?.close();
    await cluster?.dispose();
  });

  const ready = (name: string) => page.getByRole('table', { name }).getByRole('row').filter({ hasText: 'Ready' });

  test('shows each pod and each worker', async () => {
    await page.getByText('All is well.').waitFor();
    expect(await ready('Pods').count()).toBe(2);
    expect(await ready('Workers').count()).toBe(1);
  });

  test('says that no worker answers, and what follows from that', async () => {
    await cluster.workers[0]?.kill();
    await page.getByText('No worker answers.').waitFor();
    await page.getByText('nothing processes them').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('says that all is well once the worker is back', async () => {
    await cluster.workers[0]?.start();
    await page.getByText('All is well.').waitFor();
    await ready('Workers').waitFor();
    expect(tab.complaints).toEqual([]);
  });
});
