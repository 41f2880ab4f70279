import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Dialog, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import {
  type ConsoleTab,
  hasBrowser,
  openProfile,
  openTab,
  signInByPage,
  startBrowser,
} from '../../drivers/cluster/console-browser.ts';
import { type Deployment, deployments } from '../../faults/deployment.ts';

/** A service and a browser that the tests of a suite share. All members are there as soon as its hooks run. */
export interface ShownService<Service> {
  readonly service: Service;
  readonly browser: Browser;
  /** A session of the admin beside those of the browser. */
  readonly client: WidgetServiceClient;
  /** Opens a page of the console in a profile of its own, and signs the admin in there. */
  openSignedIn(
    path: string,
    options?: BrowserContextOptions,
  ): Promise<ConsoleTab & { readonly profile: BrowserContext }>;
}

/** Opens a service and a browser before the tests of the calling suite, and closes both after them. */
export function showService<Service extends Pick<Deployment, 'url' | 'dispose'>>(
  open: () => Promise<Service>,
): ShownService<Service> {
  let service: Service;
  let browser: Browser;
  let client: WidgetServiceClient;
  beforeAll(async () => {
    [service, browser] = await Promise.all([open(), startBrowser()]);
    client = createClient({ baseUrl: service.url });
    await client.signIn(testAdmin);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.dispose();
  });
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
    openSignedIn: async (path, options) => {
      const profile = await openProfile(browser, options);
      const tab = await openTab(profile, service.url, path);
      await signInByPage(tab.page);
      return { profile, ...tab };
    },
  };
}

/** Declares a suite for each deployment. Those that need a browser or servers that are missing are skipped. */
export function describeEachDeployment(
  title: string,
  declareTests: (shown: ShownService<Deployment>, name: (typeof deployments)[number]['name']) => void,
): void {
  for (const { name, canRun, open } of deployments) {
    describe.runIf(hasBrowser && canRun)(`${title} of ${name}`, () => declareTests(showService(open), name));
  }
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
