import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { describeEmbedded, postHook } from './shown-service.ts';

/**
 * The store rejects five hooks. One story in one browser: the operator finds them, discards two, and redrives the
 * others once the store accepts them.
 */
describeEmbedded('dead deliveries in the console', (shown) => {
  let page: Page;
  let complaints: readonly string[];
  let widgetId: string;
  let hookUrl: string;
  const eventIds: string[] = [];
  beforeAll(async () => {
    const { service, client } = shown;
    await service.rejectPayloads('poison');
    widgetId = (await client.createWidget({ name: 'Boiler' })).id;
    const { url } = await client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    hookUrl = service.url + new URL(url).pathname;
    for (const payload of [{ lux: 1 }, { poison: 1 }, { poison: 2 }, { poison: 3 }, { poison: 4 }, { poison: 5 }]) {
      eventIds.push(await postHook(hookUrl, { widgetId, payload }));
    }
    ({ page, complaints } = await shown.openSignedIn('/overview'));
  });

  const deliveries = () => page.getByRole('table', { name: 'Hooks' }).locator('tbody').getByRole('row');
  const linkTo = (index: number) => page.locator(`main a[href$="${eventIds[index]}"]`);
  const choose = (state: string) => page.getByRole('radio', { name: state }).check();

  test('tells of them in the overview, which leads to them', async () => {
    await page.getByText('5 hooks from 1 integration could not be processed').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('list', { name: 'Problems' }).getByRole('link', { name: 'Factory', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Factory' }).waitFor();
    await eventually(async () => (await deliveries().count()) === 5, 'five deliveries are listed');
    expect(await page.getByRole('radio', { name: 'Dead 5' }).isChecked()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('says why one is dead; a redrive too early leaves it dead', async () => {
    await linkTo(1).click();
    await page.getByRole('heading', { level: 1, name: 'Boiler · updated' }).waitFor();
    await page.getByText('The database rejects the content of this hook.').waitFor();
    await page.getByText('"poison": 1').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByRole('alert').getByText('1 delivery is dead again: rejected by the database.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('definition').filter({ hasText: /^2$/ }).waitFor();
  });

  test('redrives one after the cause is gone', async () => {
    await shown.service.rejectPayloads(null);
    await page.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('Published', { exact: true }).first().waitFor();
    await page.getByText('version 3').waitFor();
    expect(await page.getByRole('button', { name: 'Redrive' }).count()).toBe(0);
  });

  test('discards one after a question; its payload is gone, and the page says so', async () => {
    await page.getByRole('link', { name: 'Factory' }).click();
    await linkTo(4).click();
    await page.getByText('"poison": 4').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This erases the payload for good').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('"poison": 4').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('1 delivery discarded.').waitFor();
    await page.getByText('Discarded: the payload was erased for good.').waitFor();
    expect(await page.getByText('"poison": 4').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Redrive' }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('discards what is selected in the list', async () => {
    await page.getByRole('link', { name: 'Factory' }).click();
    await choose('Dead');
    await eventually(async () => (await deliveries().count()) === 3, 'three deliveries are listed');
    await page.getByLabel(`Select: ${eventIds[5]}`).check();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await eventually(async () => (await deliveries().count()) === 2, 'two deliveries are listed');
    await choose('Discarded');
    await linkTo(5).waitFor();
    await eventually(async () => (await deliveries().count()) === 2, 'two discarded deliveries are listed');
  });

  test('redrives all that are left at once', async () => {
    await choose('Dead');
    await eventually(async () => (await deliveries().count()) === 2, 'two deliveries are listed');
    await page.getByLabel('Select all dead deliveries of this page').check();
    await page.getByRole('button', { name: 'Redrive 2' }).click();
    await page.getByRole('status').getByText('2 deliveries queued again.').waitFor();
    await page.getByRole('heading', { name: 'No hooks match' }).waitFor();
    await choose('Published');
    await eventually(async () => (await deliveries().count()) === 4, 'four deliveries are listed');
    expect(await findBarriers(page)).toEqual([]);
  });

  test('finds deliveries by the time at which they came, and keeps the times in the address', async () => {
    const firstAt = (
      await shown.client.api.GET('/api/v1/integrations/{id}/deliveries', {
        params: { path: { id: new URL(page.url()).pathname.split('/').at(-1) ?? '' }, query: { state: 'published' } },
      })
    ).items.at(-1)?.receivedAt;
    const nextSecond = new Date(Math.floor(Date.parse(firstAt ?? '') / 1_000) * 1_000 + 1_000).toISOString();
    await choose('Accepted');
    await page.getByLabel('Time range').selectOption('Last hour');
    await linkTo(0).waitFor();
    expect(new URL(page.url()).search).toBe('?range=hour');
    await page.getByLabel('Time range').selectOption('Custom');
    await page.getByLabel('Before', { exact: true }).fill('2026-01-01T10:00:00');
    await page.getByRole('heading', { name: 'No hooks in this time range' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Before', { exact: true }).fill(nextSecond.slice(0, 19));
    await linkTo(0).waitFor();
    await page.reload();
    await linkTo(0).waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toBe(nextSecond);
    await page.getByLabel('Before', { exact: true }).fill('');
    await page.getByLabel('From', { exact: true }).fill('2099-01-01T10:00:00');
    await page.getByRole('heading', { name: 'No hooks in this time range' }).waitFor();
  });

  test('shows each of them once in the history of the widget', async () => {
    await page.goto(`${shown.service.url}/console/widgets/${widgetId}`);
    const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    await eventually(async () => (await entries.count()) === 7, 'the history has seven entries');
    const versions = (await entries.allTextContents()).flatMap((text) => /^[A-Z][a-z]+v(\d)/.exec(text)?.[1] ?? []);
    expect(versions.sort()).toEqual(['1', '2', '3', '4', '5']);
    expect(complaints).toEqual([]);
  });

  test('moves no row while a redrive waits for a worker; a page that was left reads nothing', async () => {
    await shown.service.rejectPayloads('poison');
    const eventId = await postHook(hookUrl, { widgetId, payload: { poison: 6 } });
    const saidButNotQueued = { items: [{ eventId, outcome: 'redriven' }], next: null };
    await page.route('**/deliveries/redrive', (route) => route.fulfill({ json: saidButNotQueued }));
    await page.goto(`${shown.service.url}/console/hooks/dead`);
    await page.getByLabel(`Select: ${eventId}`).check();
    await page.getByRole('button', { name: 'Redrive 1' }).click();
    await page.getByText('1 delivery queued again.').waitFor();
    for (let reads = 0; reads < 2; reads += 1) await page.waitForResponse(/\/deliveries\?/);
    await postHook(hookUrl, { widgetId, payload: { poison: 7 } });
    const showNew = page.getByRole('button', { name: /^Show 1\+? new$/ });
    await showNew.waitFor();
    for (let reads = 0; reads < 2; reads += 1) await page.waitForResponse(/\/deliveries\?/);
    expect(await showNew.count()).toBe(1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/^Updated/).waitFor();
    expect((await page.waitForRequest(/\/deliveries\?|\/overview$/)).url()).toContain('/overview');
  });

  test('redrives more of them than one request does, and leaves nothing selected', async () => {
    await Promise.all(Array.from({ length: 101 }, (_, poison) => postHook(hookUrl, { widgetId, payload: { poison } })));
    await page.goto(`${shown.service.url}/console/hooks/dead`);
    await page.getByRole('button', { name: /^Select all 10\d dead$/ }).click();
    await shown.service.rejectPayloads(null);
    await page.route('**/deliveries/redrive', async (route) => {
      await page.getByLabel('Select: ').first().uncheck();
      await route.continue();
    });
    await page.getByRole('button', { name: /^Redrive 10\d$/ }).click();
    await page.getByText(/^10\d deliveries queued again/).waitFor();
    await page.getByRole('heading', { name: 'No dead deliveries' }).waitFor();
    await page.getByRole('button', { name: /^Redrive/ }).waitFor({ state: 'detached' });
  });
});
