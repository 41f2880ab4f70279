/**
 * `npm run bench:console`: measures the console in Chromium: bytes of the first load, time until it is usable on a
 * slowed processor, a search through 100 000 widgets, and the load of 200 events a second. Needs CHROMIUM_BIN.
 *
 * Chromium and the service share the processor, so a figure is an upper bound of what a person sees.
 */
import { parseArgs } from 'node:util';
import { createClient } from '@widget-service/client/client.ts';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { CDPSession, Page } from 'playwright-core';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openProfile, openTab, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../faults/deployment.ts';

const { values } = parseArgs({
  options: { widgets: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '60' } },
});
const widgetCount = Number(values.widgets);
const liveSeconds = Number(values.seconds);
const eventsPerSecond = 200;
const slowdown = 4;

/** Milliseconds from the navigation until the page of a signed-in person shows its widgets, on a slowed processor. */
async function measureStart(page: Page, devtools: CDPSession, url: string): Promise<number> {
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(`${url}/console/widgets`, { waitUntil: 'commit' });
  await page.getByText('Live', { exact: true }).waitFor();
  const startMs = await page.evaluate(() => performance.now());
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return startMs;
}

/** The share of one processor core that the page uses while events come. */
async function measureLive(devtools: CDPSession, post: (index: number) => Promise<unknown>): Promise<number> {
  const readBusySeconds = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  await devtools.send('Performance.enable');
  const busyBefore = await readBusySeconds();
  const beginMs = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < liveSeconds * eventsPerSecond; index += 1) {
    const dueMs = beginMs + (index * 1_000) / eventsPerSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    sent.push(post(index));
  }
  await Promise.all(sent);
  const busySeconds = (await readBusySeconds()) - busyBefore;
  return busySeconds / ((performance.now() - beginMs) / 1_000);
}

const deployment = await openEmbeddedDeployment();
const client = createClient({ baseUrl: deployment.url });
await client.signIn(testAdmin);
const integration = await client.api.POST('/api/v1/integrations', { body: { name: 'figures' } });
const sender = createHookSender({ url: deployment.url + new URL(integration.url).pathname, concurrency: 20 });
const ids: string[] = [];

/** Creates widgets until there are so many, at most 50 at once. */
async function createWidgets(count: number): Promise<void> {
  while (ids.length < count) {
    const names = Array.from({ length: Math.min(50, count - ids.length) }, (_, index) => `Pump ${ids.length + index}`);
    const created = await Promise.all(names.map((name) => client.createWidget({ name, labels: [] })));
    ids.push(...created.map(({ id }) => id));
  }
}

const browser = await startBrowser();
try {
  await createWidgets(200);

  const profile = await openProfile(browser);
  const { page } = await openTab(profile, deployment.url, '/widgets');
  const transferred = await page.evaluate(() =>
    performance
      .getEntries()
      .map((entry) => ('transferSize' in entry ? Number(entry.transferSize) : 0))
      .reduce((sum, bytes) => sum + bytes, 0),
  );
  await signInByPage(page);
  const devtools = await profile.newCDPSession(page);
  const startMs = await measureStart(page, devtools, deployment.url);

  await createWidgets(widgetCount);
  const beginMs = performance.now();
  await page.getByLabel('Search by name, label or id').fill('nothing like it');
  await page.getByText('No widgets match').waitFor({ timeout: 300_000 });
  const searchMs = performance.now() - beginMs;
  await page.getByRole('button', { name: 'Clear filters' }).click();
  const occurredAt = new Date().toISOString();
  const live = await measureLive(devtools, (index) =>
    sender.send({ kind: 'updated', occurredAt, widgetId: ids[index % ids.length] ?? '', payload: { index } }),
  );
  console.table({
    'first load, gzipped (bytes)': transferred,
    [`usable after, processor ${slowdown} times slower (ms)`]: Math.round(startMs),
    [`${ids.length} widgets searched after (ms)`]: Math.round(searchMs),
    [`${eventsPerSecond} events a second for ${liveSeconds} s (share of a core)`]: `${(live * 100).toFixed(1)} %`,
  });
} finally {
  await browser.close();
  await deployment.dispose();
}
