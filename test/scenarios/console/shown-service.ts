import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Dialog, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import {
  type ConsoleTab,
  hasBrowser,
  openProfile,
  openTab,
  startBrowser,
  waitForNavigation,
} from '../../drivers/cluster/console-browser.ts';
import {
  type Deployment,
  deployments,
  type EmbeddedDeployment,
  openEmbeddedDeployment,
} from '../../faults/deployment.ts';

/** A service and a browser that the tests of a suite share. All members are there as soon as its hooks run. */
export interface ShownService<Service> {
  readonly service: Service;
  readonly browser: Browser;
  /** A session of the admin beside those of the browser. */
  readonly client: WidgetServiceClient;
  /** Opens a page of the console, in a new profile if none is given. A script runs before the page's own. */
  open(path: string, options?: OpenOptions): Promise<ShownTab>;
  /** The same in a profile of its own, whose session an admin has started. */
  openSignedIn(path: string, options?: OpenOptions): Promise<ShownTab>;
}

type ShownTab = ConsoleTab & { readonly profile: BrowserContext };
type OpenOptions = BrowserContextOptions & { readonly profile?: BrowserContext; readonly script?: string };

/** Pages read again every second where they would every five: a test waits for what they show, not for the time. */
const readOften = `{
  const { setInterval } = window;
  window.setInterval = (callback, ms) => setInterval(callback, ms < 5_000 ? ms : ms / 5);
}`;

/** On a cluster, another pod may know of a new stream some seconds later. */
const ownPace = ';';

/**
 * Opens a service and a browser before the tests of the calling suite, and closes both after them. A profile that is
 * opened within a test is closed after it; one that is opened in `beforeAll` stays. `pace` is a script of each page.
 */
export function showService<Service extends Pick<Deployment, 'url' | 'dispose'>>(
  openService: () => Promise<Service>,
  pace = readOften,
): ShownService<Service> {
  let service: Service;
  let browser: Browser;
  let client: WidgetServiceClient;
  let openBefore: readonly BrowserContext[];
  beforeAll(async () => {
    [service, browser] = await Promise.all([openService(), startBrowser()]);
    client = createClient({ baseUrl: service.url });
    await client.signIn(testAdmin);
  });
  beforeEach(() => {
    openBefore = browser.contexts();
  });
  afterEach(async () => {
    for (const profile of browser.contexts()) if (!openBefore.includes(profile)) await closeProfile(profile);
  });
  afterAll(async () => {
    for (const profile of browser?.contexts() ?? []) await closeProfile(profile);
    await browser?.close();
    await service?.dispose();
  });
  const open = async (path: string, { profile: given, script, ...options }: OpenOptions = {}, signsIn = false) => {
    const profile = given ?? (await openProfile(browser, options));
    if (given === undefined) await profile.addInitScript(pace);
    if (script !== undefined) await profile.addInitScript(`{ ${script} }`);
    const signIn = () => profile.request.post(`${service.url}/api/v1/session`, { data: testAdmin });
    if (signsIn) expect((await signIn()).status()).toBe(200);
    const tab = await openTab(profile, service.url, path);
    if (signsIn) await waitForNavigation(tab.page);
    return { profile, ...tab };
  };
  return {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    get client() {
      return client;
    },
    open,
    openSignedIn: (path, options) => open(path, options, true),
  };
}

/** Closes a profile, though a route of a test may be about to answer. */
async function closeProfile(profile: BrowserContext): Promise<void> {
  for (const routed of [profile, ...profile.pages()]) await routed.unrouteAll({ behavior: 'ignoreErrors' });
  await profile.close();
}

/** Declares a suite for each deployment. Those that need a browser or servers that are missing are skipped. */
export function describeEachDeployment(
  title: string,
  declareTests: (shown: ShownService<Deployment>, name: (typeof deployments)[number]['name']) => void,
): void {
  for (const { name, canRun, open } of deployments) {
    describe.runIf(hasBrowser && canRun)(`${title} of ${name}`, () => declareTests(showService(open, ownPace), name));
  }
}

/**
 * Declares a suite for one embedded process: enough for what a page does by itself. That all stores answer alike is
 * proven elsewhere, and `story` and `ten-jobs` walk through the pages on a cluster, too.
 */
export function describeEmbedded(title: string, declareTests: (shown: ShownService<EmbeddedDeployment>) => void): void {
  describe.runIf(hasBrowser)(title, () => declareTests(showService(() => openEmbeddedDeployment())));
}

/** Opens the menu of the row or page with this name, and chooses an entry. */
export async function chooseAction(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Begins to leave the page, and stays when the page asks. Returns the question. */
export async function stayWhenAsked(page: Page, leave: () => Promise<unknown>): Promise<Dialog> {
  const asked = page.waitForEvent('dialog');
  const leaving = leave().catch(() => undefined);
  const question = await asked;
  await question.dismiss();
  await leaving;
  return question;
}

/** Shows and reads the secrets on the page that hands an integration over. */
export async function readHandOver(page: Page) {
  await page.getByRole('heading', { level: 1, name: 'Hand-over' }).waitFor();
  const show = page.getByRole('button', { name: 'Show', exact: true });
  while ((await show.count()) > 0) await show.first().click();
  const [url = '', signingSecret] = await page.locator('code.secret').allTextContents();
  return { url, signingSecret };
}

/** Reads the secrets, and leaves the page without a copy for the one that follows. */
export async function leaveHandOver(page: Page) {
  const secrets = await readHandOver(page);
  page.once('dialog', (question) => void question.accept());
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'Hand-over' }).waitFor({ state: 'detached' });
  return secrets;
}

/** Posts a hook, and returns its event id. */
export async function postHook(url: string, members: object): Promise<string> {
  const body = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString(), ...members });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(response.status).toBe(202);
  return response.headers.get('webhook-event-id') ?? '';
}
