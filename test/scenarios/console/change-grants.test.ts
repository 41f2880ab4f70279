import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { chooseAction, describeEmbedded, leaveHandOver } from './shown-service.ts';

/** Not a full minute: an input of a browser has minutes only, unless it is told otherwise. */
const expiresAt = '2099-06-01T10:00:30.500Z';

describeEmbedded('grants are changed in the console', (shown) => {
  let page: Page;
  let complaints: readonly string[];
  let widgetId: string;
  beforeAll(async () => {
    const { client } = shown;
    widgetId = (await client.createWidget({ name: 'Boiler', labels: ['cellar'] })).id;
    await client.createWidget({ name: 'Lamp', labels: ['hall'] });
    const filter = { labels: ['cellar'] };
    await client.api.POST('/api/v1/subscriptions', { body: { name: 'Wall screen', filter } });
    const withComma = { labels: ['hall, east'] };
    await client.api.POST('/api/v1/subscriptions', { body: { name: 'Phone', filter: withComma, expiresAt } });
    await client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    await client.api.POST('/api/v1/provision-tokens', { body: { name: 'A script' } });
    ({ page, complaints } = await shown.openSignedIn('/streams'));
  });

  const dialog = () => page.getByRole('dialog');
  const save = () => dialog().getByRole('button', { name: 'Save' }).click();

  test('the filter of a subscription, and nothing else of it', async () => {
    await page.getByRole('link', { name: 'Wall screen' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await chooseAction(page, 'Wall screen', 'Edit');
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Wall screen');
    await dialog().getByRole('button', { name: 'Remove cellar' }).waitFor();
    // Another case than the label has: the field warns, and offers the right one.
    await dialog().getByLabel('Labels').fill('HALL');
    await dialog().getByText('No widget has the label “HALL”. Labels are case-sensitive.').waitFor();
    await dialog().getByRole('option', { name: 'hall', exact: true }).waitFor();
    await dialog().getByLabel('Labels').press('ArrowDown');
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByLabel('Labels').press('Enter');
    await dialog().getByRole('button', { name: 'Remove hall', exact: true }).waitFor();
    // Removed by the mouse, the label is added again by the keyboard: the field has the focus.
    await dialog().getByRole('button', { name: 'Remove hall' }).click();
    await page.keyboard.type('hall');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Remove hall' }).waitFor();
    await dialog().getByLabel('Widgets').fill('boil');
    await dialog().getByRole('option', { name: 'Boiler' }).click();
    await dialog().getByRole('button', { name: 'Remove Boiler' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await save();
    // The form shows the label, too.
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('hall', { exact: true }).waitFor();
    const filter = { types: null, states: null, labels: ['cellar', 'hall'], widgetIds: [widgetId] };
    const { items } = await shown.client.api.GET('/api/v1/subscriptions');
    expect(items.find(({ name }) => name === 'Wall screen')).toMatchObject({ expiresAt: null, filter });
  });

  test('the name of a subscription: its expiry and a label with a comma stay', async () => {
    const findPhone = async (start: string) =>
      (await shown.client.api.GET('/api/v1/subscriptions')).items.find(({ name }) => name.startsWith(start));
    const before = await findPhone('Phone');
    expect(before).toMatchObject({ expiresAt, filter: { labels: ['hall, east'] } });
    await page.goto(`${shown.service.url}/console/streams`);
    await chooseAction(page, 'Phone', 'Edit');
    await dialog().getByLabel('Name').fill('Phone of Kim');
    await save();
    await page.getByRole('link', { name: 'Phone of Kim' }).waitFor();
    expect(await findPhone('Phone of Kim')).toEqual({ ...before, name: 'Phone of Kim' });
    await chooseAction(page, 'Phone of Kim', 'Edit');
    await dialog().getByLabel('Retired').last().check();
    await save();
    await dialog().waitFor({ state: 'detached' });
    expect(await findPhone('Phone of Kim')).toMatchObject({ filter: { labels: ['hall, east'], states: ['retired'] } });
  });

  test('from a menu by keyboard, in a narrow window; Escape gives the focus back', async () => {
    await page.setViewportSize({ width: 320, height: 400 });
    const button = page.getByRole('button', { name: 'Actions of Phone of Kim' });
    const focused = () => page.evaluate('document.activeElement.textContent || document.activeElement.ariaLabel');
    await button.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const keys = { ArrowDown: 'Rotate secret…', End: 'Revoke…', ArrowUp: 'Copy id', Home: 'Edit', r: 'Rotate secret…' };
    for (const [key, label] of Object.entries(keys)) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(label);
    }
    const { x = -1, y = -1, width = 0, height = 0 } = (await page.getByRole('menu').boundingBox()) ?? {};
    expect([x >= 0, y >= 0, x + width <= 320, y + height <= 400]).toEqual([true, true, true, true]);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Actions of Phone of Kim');
    // A late browser tells only now of what has scrolled before the menu came.
    await button.evaluate(async (element) => {
      (element as unknown as { click(): void }).click();
      for (let turn = 0; turn < 20; turn += 1) await null;
      (globalThis as unknown as EventTarget).dispatchEvent(new Event('scroll'));
    });
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    await page.mouse.click(2, 200);
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Actions of Phone of Kim');
    await chooseAction(page, 'Phone of Kim', 'Revoke…');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await focused()).toBe('Actions of Phone of Kim');
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  test('the name, expiry, rate and de-duplication of an integration', async () => {
    await page.goto(`${shown.service.url}/console/hooks`);
    await chooseAction(page, 'Factory', 'Edit');
    await dialog().getByLabel('Name').fill('Factory north');
    await dialog().getByLabel('Hooks per second').fill('50');
    await dialog().getByLabel('Deduplicate by content').uncheck();
    await dialog().getByLabel('Expires').fill('2099-06-01T10:00');
    expect(await findBarriers(page)).toEqual([]);
    await save();
    await page.getByRole('link', { name: 'Factory north' }).waitFor();
    const { items } = await shown.client.api.GET('/api/v1/integrations');
    expect(items).toMatchObject([{ name: 'Factory north', rate: 50, deduplicateByContent: false }]);
    expect(items[0]?.expiresAt).toMatch(/^2099-06-01T/);
  });

  test('the way of signing of an integration: its old address ends at once, unless the person wants it', async () => {
    await page.goto(`${shown.service.url}/console/hooks`);
    await chooseAction(page, 'Factory north', 'Rotate secret…');
    await dialog().getByLabel('Require signed hooks').check();
    const overlap = dialog().getByLabel('The old secret stops working');
    expect(await overlap.inputValue()).toBe('0');
    await overlap.selectOption('300');
    await dialog().getByText('accepts hooks without a signature').waitFor();
    await overlap.selectOption('0');
    await dialog().getByText('accepts hooks without a signature').waitFor({ state: 'detached' });
    await dialog().getByText('Whoever uses it is cut off').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('Signing secret').first().waitFor();
    expect(await page.getByText('The old secret is valid until').count()).toBe(0);
    expect((await leaveHandOver(page)).signingSecret).toMatch(/^whsec_/);
    expect((await shown.client.api.GET('/api/v1/integrations')).items).toMatchObject([
      { signature: 'standard-webhooks' },
    ]);
  });

  test('the name of a provision token; a refusal says why, and the form stays', async () => {
    await page.goto(`${shown.service.url}/console/access/tokens`);
    await chooseAction(page, 'A script', 'Edit');
    await dialog().getByLabel('Expires').fill('2020-06-01T10:00');
    await save();
    await dialog().getByRole('alert').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByLabel('Expires').fill('');
    await dialog().getByLabel('Name').fill('The script of the night');
    await save();
    await page.getByRole('rowheader', { name: 'The script of the night' }).waitFor();
    expect((await shown.client.api.GET('/api/v1/provision-tokens')).items).toMatchObject([
      { name: 'The script of the night', expiresAt: null },
    ]);
  });

  test('nothing, if somebody saves without a change', async () => {
    const before = (await shown.client.api.GET('/api/v1/provision-tokens')).items;
    await chooseAction(page, 'The script of the night', 'Edit');
    await save();
    await page.getByText('Saved', { exact: true }).last().waitFor();
    expect((await shown.client.api.GET('/api/v1/provision-tokens')).items).toEqual(before);
    expect(complaints).toEqual([]);
  });
});
