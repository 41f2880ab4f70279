import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { openFaultCluster } from '../../faults/fault-cluster.ts';
import { showService } from './shown-service.ts';

/** One story: what the overview says while the only worker is gone, and after it is back. */
describe.runIf(hasBrowser && process.env.MONGODB_URL !== undefined)('the overview of a cluster', () => {
  const shown = showService(() =>
    openFaultCluster({ pods: 2, workers: 1, hasLinks: false, environment: { API_RATE_PER_SECOND: '0' } }),
  );
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    ({ page, complaints } = await shown.openSignedIn('/overview'));
  });

  const ready = (name: string) => page.getByRole('table', { name }).getByRole('row').filter({ hasText: 'Ready' });

  test('shows each pod and each worker', async () => {
    await page.getByText('All is well.').waitFor();
    expect(await ready('Pods').count()).toBe(2);
    expect(await ready('Workers').count()).toBe(1);
  });

  test('says that no worker answers, and what follows from that', async () => {
    await shown.service.workers[0]?.kill();
    await page.getByText('No worker answers.').waitFor();
    await page.getByText('nothing processes them').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('says that all is well once the worker is back', async () => {
    await shown.service.workers[0]?.start();
    await page.getByText('All is well.').waitFor();
    await ready('Workers').waitFor();
    expect(complaints).toEqual([]);
  });
});
