/**
 * `npm run console:screenshots [-- --minutes 60]`: writes pictures of five pages of the console into
 * test/console-screenshots: light, dark, and 390 pixels wide. Hooks are sent for so many minutes before, by default for
 * one: after an hour, the lines of the overview are full. docs/console has copies of them. Needs CHROMIUM_BIN.
 */
import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
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
const things = ['Boiler', 'Heat meter', 'Water meter', 'Cold room', 'Roof vent', 'Door contact', 'Smoke detector'];
const places = ['Harbour hall', 'North gate', 'Depot', 'School', 'Clinic', 'مدرسة', 'Gdańsk shipyard'];
const rooms = ['cellar', 'floor 1', 'roof'];

const measure = () => ({ temperature: Math.round(Math.random() * 200) / 10, battery: Math.ceil(Math.random() * 100) });
const pick = (texts: readonly string[]) => texts[Math.floor(Math.random() * texts.length)] ?? '';

/** Posts a hook. An unknown kind is refused. */
async function postHook(url: string, hook: object): Promise<void> {
  const body = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString(), ...hook });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await response.arrayBuffer();
}

/** Makes widgets, integrations, three dead hooks and an open stream. Returns what traffic and pictures need of them. */
async function fillService(client: WidgetServiceClient, serviceUrl: string, signal: AbortSignal) {
  const { api } = client;
  const widgetIds: string[] = [];
  for (const place of places) {
    for (const room of rooms) {
      for (const name of things) {
        widgetIds.push((await client.createWidget({ name: `${name} ${place}, ${room}`, labels: [room] })).id);
      }
    }
  }
  const integrations: { readonly id: string; readonly url: string }[] = [];
  for (const name of ['Building sensors', 'Metering gateway', 'Field service app']) {
    const { id, url } = await api.POST('/api/v1/integrations', { body: { name } });
    integrations.push({ id, url: serviceUrl + new URL(url).pathname });
  }
  const hookUrls = integrations.map(({ url }) => url);
  for (const url of hookUrls) await postHook(url, { widgetId: widgetIds[0], payload: { unreadable: true } });
  const body = { name: 'Control room wall', filter: { labels: ['cellar'] } };
  const stream = await api.POST('/api/v1/subscriptions', { body });
  const response = await fetch(serviceUrl + new URL(stream.url).pathname, { signal });
  // A stream that nobody reads is closed.
  void response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  const paths = {
    overview: '/overview',
    widget: `/widgets/${widgetIds[0]}`,
    integration: `/hooks/${integrations[0]?.id}`,
    stream: `/streams/${stream.id}`,
  };
  return { widgetIds, hookUrls, paths };
}

/** Sends five hooks per second until the signal. About one in eighty is refused. */
async function sendTraffic(
  { widgetIds, hookUrls }: Pick<Awaited<ReturnType<typeof fillService>>, 'widgetIds' | 'hookUrls'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const kind = Math.random() < 0.012 ? 'painted' : 'updated';
    await postHook(pick(hookUrls), { kind, widgetId: pick(widgetIds), payload: measure() });
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
}

async function drawAll(browser: Browser, url: string, paths: Readonly<Record<string, string>>): Promise<void> {
  for (const { name: look, colorScheme, width, height } of looks) {
    const profile = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    const { page } = await openTab(profile, url, '/');
    const draw = (name: string) => page.screenshot({ path: `${folder}${name}-${look}.jpg`, type: 'jpeg', quality: 80 });
    await signInByPage(page);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // The page of a stream shows what comes while it is open.
      await page.waitForTimeout(name === 'stream' ? 8_000 : 1_000);
      await draw(name);
    }
    const dialog = page.getByRole('dialog');
    await page.goto(`${url}/console/hooks`);
    await page.getByRole('button', { name: 'Create integration' }).click();
    await dialog.getByLabel('Name').fill('Parking barriers');
    await dialog.getByLabel('Require signed hooks').check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Waiting for the first hook…').waitFor();
    await draw('hand-over');
    await profile.close();
  }
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } });
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const deployment = await openEmbeddedDeployment();
const drawn = new AbortController();
try {
  const client = createClient({ baseUrl: deployment.url });
  // It starts the service again, so first: streams would end.
  await deployment.rejectPayloads('unreadable');
  await client.signIn(testAdmin);
  const shown = await fillService(client, deployment.url, drawn.signal);
  await sendTraffic(shown, AbortSignal.timeout(Number(values.minutes) * 60_000));
  const browser = await startBrowser();
  // Traffic goes on, so that pages show what they show in production.
  const traffic = sendTraffic(shown, drawn.signal);
  await drawAll(browser, deployment.url, shown.paths);
  drawn.abort();
  await traffic;
  await browser.close();
} finally {
  await deployment.dispose();
}
