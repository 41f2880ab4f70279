import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { stayWhenAsked } from './choose-action.ts';
import { showService } from './shown-service.ts';

/** What forms say about mistakes, and what the console asks before it does something. */
describe.runIf(hasBrowser)('forms and questions of the console', () => {
  const shown = showService(() => openEmbeddedDeployment());
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    ({ page, complaints } = await shown.openSignedIn('/streams'));
  });

  const dialog = () => page.getByRole('dialog');
  const create = () => dialog().getByRole('button', { name: 'Create' });
  const nameFocused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""');

  test('the field that the service refuses says what is wrong with it, and has the focus', async () => {
    await page.setViewportSize({ width: 1_280, height: 600 });
    await page.getByRole('link', { name: 'Widgets' }).click();
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
