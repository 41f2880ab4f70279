import { streamSamples } from '@widget-service/console/stream-samples.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { describeEmbedded, stayWhenAsked } from './shown-service.ts';

/** Long, right to left, and without a place where it could wrap. */
const name = `מסך ${'a'.repeat(160)}`;

describeEmbedded('a stream has a page for developers in the console', (shown) => {
  let profile: BrowserContext;
  let page: Page;
  let complaints: readonly string[];
  let url: string;
  beforeAll(async () => {
    await shown.client.createWidget({ name: 'Boiler', labels: ['cellar'] });
    ({ profile, page, complaints } = await shown.openSignedIn('/streams'));
    await profile.grantPermissions(['clipboard-read', 'clipboard-write']);
  });

  const dialog = () => page.getByRole('dialog');
  const urlLine = () => page.getByRole('group', { name: 'Stream URL (secret)' });
  const events = () => page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem');
  const waitUntilLive = () => page.getByText('Live', { exact: true }).waitFor();
  const nameFocused = () => page.evaluate('document.activeElement.textContent');
  const token = () => new URL(url).pathname.split('/').at(-1) ?? '';
  /** Creates two widgets, of which the filter lets only the first one through. */
  async function createTwo(passing: string): Promise<void> {
    await shown.client.createWidget({ name: 'Attic lamp', labels: ['attic'] });
    await shown.client.createWidget({ name: passing, labels: ['cellar'] });
  }
  async function listen(text: string): Promise<void> {
    await page.getByLabel('Stream URL (secret)').fill(text);
    await page.getByRole('button', { name: 'Listen', exact: true }).click();
  }

  test('shows the URL of a new one, masked, and its events by this URL', async () => {
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await dialog().getByLabel('Name').fill(name);
    await dialog().getByLabel('Labels').fill('cellar');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('By the URL').waitFor();
    await waitUntilLive();
    const hidden = await page.content();
    await urlLine().getByRole('button', { name: 'Show' }).click();
    url = (await urlLine().locator('.secret').textContent()) ?? '';
    expect(hidden).not.toContain(token());
    await createTwo('Furnace');
    await events().filter({ hasText: 'Furnace' }).waitFor();
    expect(await events().count()).toBe(1);
    expect(await events().locator('pre').count()).toBe(0);
    await page.locator('summary').first().press('Enter');
    await events().locator('pre').getByText('"type": "widget.created"').waitFor();
  });

  test('fits a narrow phone, in dark colours', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('asks before it is left without a copy, and never shows the URL again', async () => {
    const { pathname } = new URL(page.url());
    const question = await stayWhenAsked(page, () => page.getByRole('link', { name: 'Widgets' }).click());
    expect(question.message()).toContain('Leave without a copy?');
    expect(new URL(page.url()).pathname).toBe(pathname);
    // Another part of the page is no other page.
    await page.getByRole('link', { name: 'Sample code' }).click();
    await page.getByRole('heading', { name: 'In a web page' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=code');
    await urlLine().getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(url);
    await page.getByRole('link', { name: 'Widgets' }).click();
    await page.getByRole('heading', { level: 1, name: 'Widgets' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'In a web page' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(pathname);
    expect(await urlLine().count()).toBe(0);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href, document.body.innerHTML])',
    );
    expect(kept).not.toContain(token());
  });

  test('without the URL, shows the events that it would send, read with the session', async () => {
    await page.getByRole('link', { name: 'Live preview' }).click();
    await page.getByText('read with your session. Labels: cellar').waitFor();
    await waitUntilLive();
    await createTwo('Radiator');
    await events().filter({ hasText: 'Radiator' }).waitFor();
    expect(await events().count()).toBe(1);
  });

  test('says why it cannot listen: no URL, another host, a URL that is not valid', async () => {
    await listen('wst_something');
    await page.getByText('This is not the URL of a stream.').waitFor();
    await listen(`https://elsewhere.example.com/api/v1/events/${token()}`);
    await page.getByText('the URL leads to elsewhere.example.com').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: /^Listen through/ }).click();
    await expect.poll(nameFocused).toBe('Live preview');
    await page.getByText('By the URL').waitFor();
    await waitUntilLive();
    await createTwo('Pump');
    await events().filter({ hasText: 'Pump' }).waitFor();
    await page.getByRole('button', { name: 'Use my session' }).click();
    await listen(`${shown.service.url}/api/v1/events/${'x'.repeat(20)}`);
    await page.getByText('The service does not know this URL.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('offers a sample that runs in a page of any origin', async () => {
    const elsewhere = await profile.newPage();
    const lines: string[] = [];
    elsewhere.on('console', (message) => lines.push(message.text()));
    const own = shown.service.url + new URL(url).pathname;
    const opened = elsewhere.waitForResponse((response) => response.url() === own);
    await elsewhere.evaluate(`(() => { const url = ${JSON.stringify(own)};\n${streamSamples.Browser}\n})()`);
    await opened;
    await createTwo('Valve');
    await expect.poll(() => lines.join('\n'), { timeout: 10_000 }).toContain('widget.created Valve');
    expect(lines.join('\n')).not.toContain('Attic lamp');
    await elsewhere.close();
  });

  test('rotates the URL, and shows the new one', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: /^Actions of / }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('The old secret is valid until').waitFor();
    await page.getByText('By the URL').waitFor();
    expect(complaints).toEqual([]);
  });
});
