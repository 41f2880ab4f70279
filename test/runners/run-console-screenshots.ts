/**
 * `npm run console:screenshots [-- --minutes 60]`: writes pictures of every page of the console into
 * test/console-screenshots: light, dark, and 390 pixels wide. Hooks are sent for so many minutes before, by default for
 * one: after an hour, the lines of the overview are full. docs/console has copies of them. Needs CHROMIUM_BIN.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import type { Browser } from 'playwright-core';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openTab, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { type Deployment, openEmbeddedDeployment } from '../faults/deployment.ts';
import { fillService, measure, postHook, type ShownData, sendTraffic } from './shown-traffic.ts';

const folder = fileURLToPath(new URL('../console-screenshots/', import.meta.url));
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

/** Leaves three dead hooks, and returns the paths of all pages by the names of their pictures. */
async function listPaths(
  { integrations, widgetIds, streamId }: ShownData,
  { rejectPayloads }: Deployment,
): Promise<Readonly<Record<string, string>>> {
  const [shown, other] = integrations;
  if (shown === undefined || other === undefined) throw new RangeError('two integrations are missing');
  const [widgetId] = widgetIds;
  const watched = await postHook(shown.url, { kind: 'updated', widgetId, payload: measure() });
  await rejectPayloads('unreadable');
  for (const { url } of [shown, shown, other]) {
    await postHook(url, { kind: 'updated', widgetId, payload: { unreadable: true } });
  }
  return {
    overview: '/overview',
    widgets: '/widgets',
    widget: `/widgets/${widgetId}`,
    events: '/streams/events',
    integrations: '/hooks',
    integration: `/hooks/${shown.id}`,
    delivery: `/hooks/${shown.id}/deliveries/${watched}`,
    'dead-deliveries': '/hooks/dead',
    quarantine: '/hooks/quarantine',
    connect: '/hooks/connect',
    streams: '/streams',
    stream: `/streams/${streamId}`,
    tokens: '/access/tokens',
    users: '/access/users',
    audit: '/access/audit',
    account: '/access',
  };
}

async function draw(
  browser: Browser,
  url: string,
  paths: Readonly<Record<string, string>>,
  client: WidgetServiceClient,
) {
  for (const { name: look, colorScheme, width, height } of looks) {
    const profile = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    const { page } = await openTab(profile, url, '/');
    await page.getByLabel('E-mail').waitFor();
    await page.screenshot({ path: `${folder}sign-in-${look}.jpg`, type: 'jpeg', quality: 60 });
    await signInByPage(page);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // The inspector shows what comes while it is open.
      if (name === 'events') {
        await page.getByText('Live', { exact: true }).waitFor();
        for (const widget of ['Lamp 8', 'Lamp 9']) await client.createWidget({ name: widget });
      }
      await page.waitForTimeout(700);
      await page.screenshot({ path: `${folder}${name}-${look}.jpg`, type: 'jpeg', quality: 60 });
    }
    await page.goto(`${url}/console/streams`);
    await page.waitForTimeout(700);
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await page.screenshot({ path: `${folder}new-subscription-${look}.jpg`, type: 'jpeg', quality: 60 });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.screenshot({ path: `${folder}palette-${look}.jpg`, type: 'jpeg', quality: 60 });
    await profile.close();
  }
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } });
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const deployment = await openEmbeddedDeployment();
try {
  const client = createClient({ baseUrl: deployment.url });
  await client.signIn(testAdmin);
  const shown = await fillService(client, deployment.url);
  const paths = await listPaths(shown, deployment);
  await sendTraffic(shown, AbortSignal.timeout(Number(values.minutes) * 60_000));
  const drawn = new AbortController();
  const browser = await startBrowser();
  // Traffic goes on, so that pages show what they show in production.
  const traffic = sendTraffic(shown, drawn.signal);
  await draw(browser, deployment.url, paths, client).finally(() => drawn.abort());
  await traffic;
  await browser.close();
  for (const stream of shown.streams) stream.abort();
} finally {
  await deployment.dispose();
}
