/**
 * `npm run bench:console-cost`: measures in Chromium what the pages of the console cost while events come: the time of
 * the main thread per second. Also how long the list of widgets takes to load, and each key in the palette. Needs
 * CHROMIUM_BIN.
 *
 * Chromium and the service share the processor, so a figure is an upper bound of what a person sees.
 */
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { openTab, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { openConsoleBench } from './console-bench.ts';

const { values } = parseArgs({
  options: {
    widgets: { type: 'string', default: '300' },
    events: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
    pages: { type: 'string', default: 'widgets,widgets?order=updated,streams/events,overview' },
  },
});
const widgetCount = Number(values.widgets);
const eventsPerSecond = Number(values.events);
const seconds = Number(values.seconds);

/** What the main thread did, in seconds since the page was opened. */
async function readMetrics(devtools: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

const durations = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'] as const;

/** Milliseconds of the main thread per second, by kind. */
async function measureCost(devtools: CDPSession): Promise<Record<string, number>> {
  const before = await readMetrics(devtools);
  const beginMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const after = await readMetrics(devtools);
  const elapsedSeconds = (performance.now() - beginMs) / 1_000;
  return Object.fromEntries(
    durations.map((name) => [
      `${name} (ms/s)`,
      Math.round((((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / elapsedSeconds),
    ]),
  );
}

/** Types into the palette. Resolves to how long the page worked on each key, in milliseconds. */
const typeInPage = `(async () => {
  const input = document.querySelector('dialog input');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const times = [];
  for (const text of ['p', 'pu', 'pum', 'pump', 'pump 7', 'pump 77', 'pump 777', 'label:floor', 'zzz']) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const beginMs = performance.now();
    set.call(input, text);
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 0));
    times.push(Math.round(performance.now() - beginMs));
  }
  return times;
})()`;

async function measureKeys(page: Page): Promise<number[]> {
  await page.keyboard.press('Control+k');
  await page.locator('dialog input').waitFor();
  const times = await page.evaluate<number[]>(typeInPage);
  await page.keyboard.press('Escape');
  return times;
}

const { deployment, sender, ids, createWidgets } = await openConsoleBench();
const browser = await startBrowser();
try {
  await createWidgets(widgetCount);
  // With motion, as most people see it.
  const profile = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const { page } = await openTab(profile, deployment.url, '/widgets');
  await signInByPage(page);
  const devtools = await profile.newCDPSession(page);
  await devtools.send('Performance.enable');
  const beginMs = performance.now();
  await page.reload();
  await page.locator('.virtual-row').first().waitFor({ timeout: 300_000 });
  const loadMs = Math.round(performance.now() - beginMs);
  const keyMs = await measureKeys(page);
  console.log(`${widgetCount} widgets: list usable after ${loadMs} ms; keys in the palette: ${keyMs.join(', ')} ms`);

  const post = (index: number) =>
    sender.send({
      kind: 'updated',
      occurredAt: new Date().toISOString(),
      widgetId: ids[(index * 7) % ids.length] ?? '',
      payload: { index, temperature: index % 40 },
    });
  let sent = 0;
  const traffic = setInterval(() => {
    void post(sent).catch((error: unknown) => console.error(error));
    sent += 1;
  }, 1_000 / eventsPerSecond);
  const figures: Record<string, Record<string, number>> = {};
  for (const path of values.pages.split(',')) {
    const inNavigation = page.locator(`nav a[href$="/console/${path}"]`);
    // Without a load of the page, which would read all widgets again while it is measured.
    if ((await inNavigation.count()) > 0) await inNavigation.click();
    else await page.goto(`${deployment.url}/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor({ timeout: 300_000 });
    if (path.startsWith('widgets')) await page.locator('.virtual-row').first().waitFor({ timeout: 300_000 });
    await page.mouse.move(0, 0);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    figures[path] = await measureCost(devtools);
  }
  clearInterval(traffic);
  console.log(`${eventsPerSecond} events a second for ${seconds} s:`);
  console.table(figures);
} finally {
  await browser.close();
  await deployment.dispose();
}
