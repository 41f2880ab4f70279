import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { testAdmin } from '../app/console-client.ts';

const browserPath = process.env.CHROMIUM_BIN ?? '';
export const hasBrowser = browserPath !== '';
if (!hasBrowser && process.env.REQUIRE_BROWSER === '1') throw new Error('CHROMIUM_BIN is missing');

/** Starts Chromium without a window. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}

export interface ConsoleTab {
  readonly page: Page;
  /** Errors of scripts, and violations of the content security policy. */
  readonly complaints: string[];
}

/** A browser profile of its own: its tabs share the session. `options` add to the common ones. */
export function openProfile(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
}

/** Opens a tab at a path of the console. Requests that the service refuses are no complaints: tests provoke them. */
export async function openTab(profile: BrowserContext, serviceUrl: string, path: string): Promise<ConsoleTab> {
  const page = await profile.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isWorse = message.type() === 'error' || message.type() === 'warning';
    if (isWorse && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${serviceUrl}/console${path}`);
  return { page, complaints };
}

/** Fills in the sign-in page, and waits for the page behind it. */
export async function signInByPage(page: Page, { email, password } = testAdmin): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await waitForNavigation(page);
}

/** Waits for a page that needs a session, and moves the pointer into a corner. */
export async function waitForNavigation(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  // Away from the list: under the pointer, no row moves.
  await page.mouse.move(0, 0);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns what axe-core finds wrong for people with disabilities (WCAG 2.2 AA and best practices), one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource);
  const results = (await page.evaluate('axe.run(document)')) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}
