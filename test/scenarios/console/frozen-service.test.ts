import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { setOptions } from '../../drivers/cluster/component-options.ts';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { showService } from './shown-service.ts';

/** One story: the service freezes while a page is open, and goes on later. Its connections stay open all the time. */
describe.runIf(hasBrowser)('the console while the service is frozen', () => {
  const shown = showService(() => openEmbeddedDeployment(setOptions({ heartbeatIntervalMs: 3_000 })));
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    const { api } = shown.client;
    await api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    await api.POST('/api/v1/subscriptions', { body: { name: 'Wall screen' } });
    ({ page, complaints } = await shown.openSignedIn('/widgets'));
  });

  const go = (area: string) =>
    page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: area }).click();

  const unreachable = () => page.getByText(/^No answer from the service since \d\d:\d\d:\d\d\. Retrying…/);

  test('says so before the connection is given up: a heartbeat is overdue', async () => {
    await page.getByText('Live', { exact: true }).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/session/stream')) requests.push(request.url());
    });
    shown.service.freeze();
    await page.getByText('Reconnecting… What you see may be out of date').waitFor();
    shown.service.thaw();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(requests).toEqual([]);
  });

  test('says that what it has read may be out of date', async () => {
    await go('Integrations');
    await page.getByRole('link', { name: 'Factory' }).click();
    await page.getByRole('heading', { name: 'No hooks yet' }).waitFor();
    shown.service.freeze();
    await unreachable().waitFor();
    expect(await unreachable().count()).toBe(1);
    await page.getByRole('heading', { name: 'No hooks yet' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('shows no page that is empty: it shows the place of the data, and one line that says since when no answer came', async () => {
    for (const area of ['Streams', 'Your account: admin@localhost', 'Overview']) {
      await go(area);
      await page.getByText('Loading…').waitFor();
    }
    await unreachable().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    shown.service.thaw();
    await page.getByText('All systems normal').waitFor();
    expect(await unreachable().count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
