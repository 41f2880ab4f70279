/**
 * `npm run console:screenshots [-- --minutes 60]`: writes pictures of every page of the console into
 * test/console-screenshots: light, dark, and 390 pixels wide. Hooks are sent for so many minutes before, by default for
 * one: after an hour, the lines of the overview are full. docs/console has copies of them. Needs CHROMIUM_BIN.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient } from '@widget-service/client/client.ts';
import type { Browser, Page } from 'playwright-core';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openTab, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../faults/deployment.ts';
import { fillService, measure, postHook, type ShownData, sendTraffic } from './shown-traffic.ts';

const folder = fileURLToPath(new URL('../console-screenshots/', import.meta.url));
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

/** Leaves three dead hooks, and returns the paths of all pages by the names of their pictures. */
async function listPaths({ integrations, widgetIds, streamId }: ShownData): Promise<Readonly<Record<string, string>>> {
  const [shown, other] = integrations;
  if (shown === undefined || other === undefined) throw new RangeError('two integrations are missing');
  const [widgetId] = widgetIds;
  const watched = await postHook(shown.url, { kind: 'updated', widgetId, payload: measure() });
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

async function draw(browser: Browser, url: string, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const { name: look, colorScheme, width, height } of looks) {
    const profile = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    const { page } = await openTab(profile, url, '/');
    const draw = (name: string) => page.screenshot({ path: `${folder}${name}-${look}.jpg`, type: 'jpeg', quality: 80 });
    await page.getByLabel('E-mail').waitFor();
    await draw('sign-in');
    await signInByPage(page);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // Pages with events show what comes while they are open.
      await page.waitForTimeout(['events', 'stream'].includes(name) ? 8_000 : 1_000);
      await draw(name);
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('boiler');
    await page.getByRole('option', { name: 'Boiler' }).first().waitFor();
    await draw('palette');
    await page.keyboard.press('Escape');
    await drawForms(page, url, draw);
    await profile.close();
  }
}

/** The forms that make a subscription and an integration, and the page that hands the integration over. */
async function drawForms(page: Page, url: string, draw: (name: string) => Promise<unknown>): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.goto(`${url}/console/streams`);
  await page.getByRole('button', { name: 'Create subscription' }).click();
  await dialog.getByLabel('Name').fill('Night watch');
  await dialog.getByLabel('Labels').fill('saf');
  await page.waitForTimeout(1_000);
  await draw('new-subscription');
  await page.goto(`${url}/console/hooks`);
  await page.getByRole('button', { name: 'Create integration' }).click();
  await dialog.getByLabel('Name').fill('Parking barriers');
  await dialog.getByLabel('Require signed hooks').check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Waiting for the first hook…').waitFor();
  await draw('hand-over');
  page.once('dialog', (question) => void question.accept());
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'Parking barriers' }).waitFor();
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } });
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const deployment = await openEmbeddedDeployment();
try {
  const client = createClient({ baseUrl: deployment.url });
  // It starts the service again, so first: streams would end.
  await deployment.rejectPayloads('unreadable');
  await client.signIn(testAdmin);
  const shown = await fillService(client, deployment.url);
  const paths = await listPaths(shown);
  await sendTraffic(shown, AbortSignal.timeout(Number(values.minutes) * 60_000));
  const drawn = new AbortController();
  const browser = await startBrowser();
  // Traffic goes on, so that pages show what they show in production.
  const traffic = sendTraffic(shown, drawn.signal);
  await draw(browser, deployment.url, paths).finally(() => drawn.abort());
  await traffic;
  await browser.close();
  for (const stream of shown.streams) stream.abort();
} finally {
  await deployment.dispose();
}
