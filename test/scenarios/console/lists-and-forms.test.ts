import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { describeEmbedded, postHook, stayWhenAsked } from './shown-service.ts';

const hebrewName = 'שלום עולם '.repeat(12).trim();

/** Long lists, and then what forms say about mistakes, and what the console asks before it does something. */
describeEmbedded('lists and forms of the console', (shown) => {
  let page: Page;
  let complaints: readonly string[];
  let integrationPath: string;
  let hookUrl: string;
  let widgetId: string;
  beforeAll(async () => {
    const { client, service } = shown;
    for (let index = 1; index <= 60; index += 1) await client.createWidget({ name: `Lamp ${index}` });
    widgetId = (await client.createWidget({ name: hebrewName })).id;
    const { id, url } = await client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    integrationPath = `/hooks/${id}`;
    hookUrl = service.url + new URL(url).pathname;
    for (let index = 1; index <= 30; index += 1) await post(index);
    ({ page, complaints } = await shown.openSignedIn(integrationPath));
  });

  const post = (index: number) => postHook(hookUrl, { widgetId, payload: { index } });
  const dialog = () => page.getByRole('dialog');
  const create = () => dialog().getByRole('button', { name: 'Create' });
  const nameFocused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""');
  const rows = () => page.getByRole('table', { name: 'Hooks' }).locator('tbody').getByRole('row');
  const readFirstRow = () => rows().first().getByRole('link').getAttribute('href');
  /** Resolves when the page has read the deliveries once more. */
  const nextRefresh = () => page.waitForResponse((response) => response.url().includes('/deliveries?'));

  test('lists move no row under the pointer: new rows wait until the person asks for them', async () => {
    await rows().first().hover();
    const before = await readFirstRow();
    await post(31);
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await readFirstRow()).toBe(before);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await expect.poll(readFirstRow).not.toBe(before);
    expect(await rows().nth(1).getByRole('link').getAttribute('href')).toBe(before);
    // Nor while the person has scrolled down.
    await page.mouse.move(0, 0);
    await page.evaluate('scrollTo(0, 300)');
    const first = await readFirstRow();
    await post(0);
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await readFirstRow()).toBe(first);
  });

  test('lists have further pages that stay as they are; the address names the page', async () => {
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    expect(await rows().count()).toBe(6);
    const before = await readFirstRow();
    await post(32);
    await nextRefresh();
    await nextRefresh();
    expect([await readFirstRow(), await rows().count()]).toEqual([before, 6]);
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    expect([await readFirstRow(), await rows().count()]).toEqual([before, 6]);
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByText('Page 1 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('lists show the page that was asked for in a browser that paints late', async () => {
    const script = 'requestAnimationFrame = () => 0;';
    const { page: late } = await shown.openSignedIn(integrationPath, { script });
    const shownRows = late.getByRole('table', { name: 'Hooks' }).locator('tbody').getByRole('row');
    await shownRows.nth(24).waitFor();
    await late.getByRole('button', { name: 'Next page' }).click();
    await late.getByText('Page 2 of 2').waitFor();
    expect(await shownRows.count()).toBeLessThan(25);
  });

  test('lists of a hundred subscriptions are searched by name and sorted; the address says how', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `Screen ${index}`);
    for (const name of names) await shown.client.api.POST('/api/v1/subscriptions', { body: { name } });
    const table = page.getByRole('table', { name: 'Streams' });
    const expectNames = (expected: readonly string[]) =>
      expect.poll(() => table.getByRole('link').allTextContents(), { timeout: 15_000 }).toEqual(expected);
    await page.goto(`${shown.service.url}/console/streams`);
    await expectNames(names.toReversed());
    await page.getByLabel('Order').selectOption('By name');
    await expectNames(names);
    await page.keyboard.press('/');
    await page.keyboard.type('SCREEN 9');
    const found = names.filter((name) => name.includes('Screen 9'));
    await expectNames(found);
    await page.reload();
    await expectNames(found);
    await page.getByLabel('Search by name').fill('nothing like it');
    await page.getByRole('heading', { name: 'No name contains “nothing like it”' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(new URL(page.url()).search).toBe('?sort=name&search=nothing+like+it');
  });

  test('lists are where they were after Back', async () => {
    const list = page.getByRole('list', { name: 'Widgets, newest first' });
    await page.goto(`${shown.service.url}/console/widgets`);
    await list.getByText('Lamp 20', { exact: true }).waitFor();
    await page.evaluate('scrollTo(0, 900)');
    await list.getByText('Lamp 20', { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Lamp 20' }).waitFor();
    await page.goBack();
    await list.getByText('Lamp 20', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('scrollY'), { timeout: 10_000 }).toBe(900);
    // Another visit begins at the top.
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('link', { name: 'Widgets' }).click();
    await list.getByRole('listitem').first().waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByRole('button', { name: 'Next page' }).click();
    await list.getByText('Lamp 1', { exact: true }).waitFor();
    expect(await list.getByRole('listitem').count()).toBe(11);
  });

  test('lists have one selection: the pointer moves it', async () => {
    await page.keyboard.press('Control+k');
    const results = page.getByRole('listbox', { name: 'Matches' });
    /** The texts of the entries that stand out. */
    const readMarked = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('[role="option"]')]
        .filter((option) => option.closest('dialog') && getComputedStyle(option).backgroundColor !== 'rgba(0, 0, 0, 0)')
        .map((option) => option.textContent)`);
    const third = await results.getByRole('option').nth(2).textContent();
    await results.getByRole('option').nth(2).hover();
    await expect.poll(readMarked).toEqual([third]);
    await page.keyboard.press('ArrowDown');
    await expect.poll(async () => (await readMarked()).length).toBe(1);
    expect(await readMarked()).not.toEqual([third]);
    await page.keyboard.press('Escape');
  });

  test('lists are searched by one field from every page', async () => {
    const palette = page.getByRole('dialog', { name: 'Search or go to' });
    const results = page.getByRole('listbox', { name: 'Matches' });
    const search = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
    };
    await search('lamp 2');
    await results.getByRole('option', { name: 'Show all in Widgets' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await results.getByRole('option', { name: 'Show all in Widgets' }).click();
    await page.getByText('15 of 61 widgets').waitFor();
    await search('fact');
    await results.getByRole('group', { name: 'Integrations' }).getByRole('option', { name: 'Factory' }).waitFor();
    await page.keyboard.press('Escape');
    await search('create user');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('E-mail').waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/access/users');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await search('msg_partner_4711');
    await results.getByRole('option', { name: 'Find hook “msg_partner_4711”' }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
    await page.getByText('Never reached any of these integrations.').waitFor();
    expect(new URL(page.url()).searchParams.get('hook')).toBe('msg_partner_4711');
  });

  test('lists group the digits of versions', async () => {
    for (let sent = 33; sent <= 1_000; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => post(sent + index)));
    }
    await page.goto(`${shown.service.url}/console/widgets/${widgetId}`);
    await page
      .getByRole('definition')
      .filter({ hasText: /^1,0\d\d$/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('lists cut a right-to-left name at its end on a phone, and leave the theme to the person', async () => {
    const viewport = { width: 390, height: 844 };
    const phone = await shown.openSignedIn('/widgets', { viewport, hasTouch: true, isMobile: true });
    const { page: small } = phone;
    const list = small.getByRole('list', { name: 'Widgets, newest first' });
    const name = list.getByText('שלום').first();
    await name.waitFor();
    expect(await small.evaluate("document.querySelector('.widget-name').matches(':dir(rtl)')")).toBe(true);
    expect(await small.getByText('Ctrl K').isVisible()).toBe(false);
    expect(await findBarriers(small)).toEqual([]);
    await small.goto(`${shown.service.url}/console/access`);
    await small.getByRole('main').getByLabel('Theme').selectOption('Dark');
    expect(await small.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(phone.complaints).toEqual([]);
  });

  test('the field that the service refuses says what is wrong with it, and has the focus', async () => {
    await page.setViewportSize({ width: 1_280, height: 600 });
    await page.getByRole('link', { name: 'Widgets' }).first().click();
    await page.getByRole('link', { name: 'Streams' }).click();
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await dialog().getByLabel('Name').fill('Wall screen');
    await dialog().getByLabel('Widgets').fill('abc');
    await create().click();
    await dialog().getByRole('alert').getByText('1 field needs attention').waitFor();
    await dialog().getByText('Some of these are not widget ids.').waitFor();
    await expect.poll(nameFocused).toBe('Widgets');
    expect(await dialog().getByText('"errors"').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    // The button is still where a person can click it.
    const { y = 0, height = 0 } = (await create().boundingBox()) ?? {};
    expect(y + height).toBeLessThan(600);
    await dialog().getByLabel('Widgets').fill('');
    // Nothing that was typed is lost by Back without a question.
    await stayWhenAsked(page, () => page.evaluate('history.back()'));
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Wall screen');
    await create().click();
    await page.getByRole('button', { name: "I've saved it" }).click();
  });

  test('a mistake that the browser finds is not sent', async () => {
    await page.goto(`${shown.service.url}/console/access/users`);
    await page.getByRole('button', { name: 'Create user' }).click();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') requests.push(request.url());
    });
    await dialog().getByLabel('E-mail').fill('ines@');
    await dialog().getByLabel('Password').pressSequentially('short');
    await create().click();
    await expect.poll(nameFocused).toBe('E-mail');
    await dialog().getByLabel('E-mail').fill('ines@example');
    await create().click();
    await expect.poll(nameFocused).toBe('One-time password');
    expect(requests).toEqual([]);
    await dialog().getByLabel('Password').fill('a first pass phrase');
    await create().click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByRole('rowheader', { name: 'ines@example' }).waitFor();
  });

  test('an address without a page says so once, and leads on', async () => {
    await page.goto(`${shown.service.url}/console/nothing/here`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('heading').count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to start page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  test('asks before it ends the own session', async () => {
    await page.goto(`${shown.service.url}/console/access`);
    const own = page.getByRole('row').filter({ hasText: 'This session' });
    await own.getByRole('button', { name: /^End/ }).click();
    await dialog().getByText('This is the session you are using: you will be signed out here.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await own.waitFor();
    await own.getByRole('button', { name: /^End/ }).click();
    await dialog().getByRole('button', { name: 'End' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
