/**
 * `npm run console:screenshots`: writes pictures of every page of the console into test/console-screenshots: light,
 * dark, and 390 pixels wide. docs/console has copies of three of them. Needs CHROMIUM_BIN.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { Browser } from 'playwright-core';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openTab, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../faults/deployment.ts';

const folder = fileURLToPath(new URL('../console-screenshots/', import.meta.url));
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

/** What the pages show. Returns the paths of the pages, by the name of the picture, and an open stream. */
async function fillService(
  client: WidgetServiceClient,
  url: string,
): Promise<{ paths: Record<string, string>; stream: Response }> {
  const names = ['Boiler', 'Cellar pump', 'Hall lamp', 'Door bell', 'Roof vent', 'Gate north', 'Gate south', 'Meter 7'];
  const widgets = [];
  for (const [index, name] of names.entries()) {
    widgets.push(await client.createWidget({ name, labels: ['hall', `floor ${index % 3}`] }));
  }
  const { id: streamId, url: streamUrl } = await client.api.POST('/api/v1/subscriptions', {
    body: { name: 'Wall screen', filter: { labels: ['hall'] } },
  });
  await client.api.POST('/api/v1/subscriptions', { body: { name: 'Phone of the caretaker' } });
  const stream = await fetch(url + new URL(streamUrl).pathname);
  const integration = await client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
  const hookUrl = url + new URL(integration.url).pathname;
  const sender = createHookSender({ url: hookUrl });
  const occurredAt = new Date().toISOString();
  const earlier = new Date(Date.now() - 3_600_000).toISOString();
  const history = [
    { kind: 'updated', occurredAt },
    { kind: 'retired', occurredAt },
    { kind: 'updated', occurredAt: earlier },
  ] as const;
  for (const hook of history) await sender.send({ ...hook, widgetId: widgets[0]?.id ?? '' });
  let eventId = '';
  for (const { id } of widgets.slice(1, 6)) {
    eventId = (await sender.send({ kind: 'updated', occurredAt, widgetId: id, payload: { lux: 300 } })).eventId;
  }
  await fetch(hookUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"kind":"painted"}' });
  await client.api.POST('/api/v1/provision-tokens', { body: { name: 'Import at night' } });
  await client.api.POST('/api/v1/users', {
    body: { email: 'lea@example.com', name: 'Lea', password: 'a first pass phrase' },
  });
  const paths = {
    overview: '/overview',
    widgets: '/widgets',
    widget: `/widgets/${widgets[0]?.id}`,
    streams: '/streams',
    stream: `/streams/${streamId}`,
    events: '/streams/events',
    hooks: '/hooks',
    integration: `/hooks/${integration.id}`,
    delivery: `/hooks/${integration.id}/deliveries/${eventId}`,
    account: '/access',
    users: '/access/users',
    tokens: '/access/tokens',
    audit: '/access/audit',
  };
  return { paths, stream };
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

await mkdir(folder, { recursive: true });
const deployment = await openEmbeddedDeployment();
const browser = await startBrowser();
try {
  const client = createClient({ baseUrl: deployment.url });
  await client.signIn(testAdmin);
  const { paths, stream } = await fillService(client, deployment.url);
  await draw(browser, deployment.url, paths, client);
  await stream.body?.cancel();
} finally {
  await browser.close();
  await deployment.dispose();
}
