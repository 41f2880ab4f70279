import { createClient } from '@widget-service/client/client.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { chooseAction, describeEachDeployment, leaveHandOver, postHook, stayWhenAsked } from './shown-service.ts';

/** One story in one browser: each step needs what the steps before it have made. */
describeEachDeployment('a person with a browser and the console', (shown) => {
  let profile: BrowserContext;
  let page: Page;
  let complaints: readonly string[];
  let widgetId: string;
  let streamUrl: string;
  let hookUrl: string;
  beforeAll(async () => {
    widgetId = (await shown.client.createWidget({ name: 'Boiler', labels: ['cellar'] })).id;
    ({ profile, page, complaints } = await shown.openSignedIn(''));
    await profile.grantPermissions(['clipboard-read', 'clipboard-write']);
  });

  const navigation = (tab = page) => tab.getByRole('navigation', { name: 'Main navigation' });
  const go = async (area: string) => {
    await navigation().getByRole('link', { name: area, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: area }).waitFor();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  /** Whether the page asks before its tab is closed. */
  const isAsking = () => page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
  const expectNoBarriers = async () => expect(await findBarriers(page)).toEqual([]);
  /** The secret that the dialog shows. */
  const readSecret = async () => (await dialog().locator('.secret').first().textContent()) ?? '';

  test('creates a subscription, whose secret is shown once', async () => {
    await go('Streams');
    await expectNoBarriers();
    await press('Create subscription');
    await dialog().getByLabel('Name').fill('Wall screen');
    await dialog().getByLabel('Labels').fill('cellar');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Wall screen' }).waitFor();
    const line = page.getByRole('group', { name: 'Stream URL (secret)' });
    await line.getByRole('button', { name: 'Show' }).click();
    await expectNoBarriers();
    streamUrl = (await line.locator('.secret').textContent()) ?? '';
    expect(streamUrl).toMatch(/^http.*\/api\/v1\/events\/\S{20,}$/);
    await line.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(streamUrl);
    await press("I've saved it");
    expect(await page.content()).not.toContain(streamUrl);
  });

  test('sees a stream that is open, and ends it', async () => {
    await page.goto(`${shown.service.url}/console/streams`);
    await page.getByRole('link', { name: 'Wall screen' }).click();
    await page.getByRole('link', { name: 'Open streams' }).click();
    await page.getByRole('heading', { name: 'No open streams' }).waitFor();
    await expectNoBarriers();
    const response = await fetch(shown.service.url + new URL(streamUrl).pathname);
    await page.getByRole('table', { name: 'Open streams' }).getByText('127.0.0.1').waitFor();
    await expectNoBarriers();
    await page.getByRole('button', { name: /^Close stream/ }).click();
    await dialog().getByText('Clients usually reconnect at once.').waitFor();
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Close stream' }).click();
    await page.getByText('Stream closed.').waitFor();
    expect(await response.text()).toContain('stream.open');
  });

  test('creates an integration and sends a test hook, which a watching tab shows live', async () => {
    const watching = await shown.open('/streams/events', { profile });
    await watching.page.getByText('Live', { exact: true }).waitFor();
    await page.bringToFront();
    await go('Integrations');
    await press('Create integration');
    await dialog().getByLabel('Name').fill('Factory');
    await dialog().getByRole('button', { name: 'Create' }).click();
    hookUrl = (await leaveHandOver(page)).url;
    await page.getByRole('heading', { level: 1, name: 'Factory' }).waitFor();
    await page.getByRole('heading', { name: 'No hooks yet' }).waitFor();
    await press('Send test hook');
    await dialog().getByLabel('Secret URL').fill(hookUrl);
    // By its name, with the keyboard alone.
    const widget = dialog().getByRole('combobox', { name: 'Widget' });
    await widget.fill('boil');
    await dialog().getByRole('option', { name: 'Boiler' }).waitFor();
    await expectNoBarriers();
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Remove Boiler' }).waitFor();
    await dialog().getByLabel('Payload').fill('{"lux": 300}');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^202 Accepted · /).waitFor();
    await dialog().getByText('"name": "Boiler"').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();

    await watching.page.getByText('Boiler', { exact: true }).click();
    await watching.page.getByText('"lux": 300').waitFor();
    expect(await findBarriers(watching.page)).toEqual([]);
    expect(watching.complaints).toEqual([]);
    await watching.page.close();
  });

  test('sees the delivery with its payload, and why another hook was refused', async () => {
    const headers = { 'content-type': 'application/json' };
    const url = shown.service.url + new URL(hookUrl).pathname;
    await fetch(url, { method: 'POST', headers, body: '{"kind":"painted"}' });
    const hooks = page.getByRole('table', { name: 'Hooks' });
    await page.getByRole('radio', { name: 'Refused' }).check();
    await hooks.getByText('kind: Must be one of').waitFor();
    await page.getByRole('radio', { name: 'Accepted' }).check();
    await hooks.getByText('Published').waitFor();
    await expectNoBarriers();
    await hooks.getByRole('link', { name: 'Boiler' }).click();
    await page.getByRole('heading', { level: 1, name: 'Boiler · updated' }).waitFor();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await page.getByText('"lux": 300').first().waitFor();
    await expectNoBarriers();
    await page.getByText('version 2').waitFor();
    await page.getByRole('link', { name: 'Boiler' }).click();
    await page.getByRole('heading', { name: 'Boiler' }).waitFor();
  });

  test('sees the history of a widget, which grows while it is open', async () => {
    const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    await entries.filter({ hasText: 'v2' }).getByText('Factory').waitFor();
    await entries.filter({ hasText: 'v2' }).getByText('lux 300').waitFor();
    expect(await entries.last().textContent()).toContain('Createdv1');
    await postHook(shown.service.url + new URL(hookUrl).pathname, { kind: 'retired', widgetId });
    await entries.filter({ hasText: 'v3' }).getByText('Retired').waitFor();
    expect(await entries.count()).toBe(3);
    await entries.nth(1).getByText('v2').click();
    await entries.nth(1).getByText('"lux": 300').first().waitFor();
    await entries.nth(1).getByText('"type": "widget.updated"').waitFor();
    await expectNoBarriers();
    await entries.first().getByText('v3').click();
    await entries.first().getByRole('link', { name: 'View hook' }).click();
    await page.getByText('version 3, became retired').waitFor();
    await page.getByText('"type": "widget.retired"').waitFor();
    await expectNoBarriers();
  });

  test('rotates a secret: both work, until the old one is ended early', async () => {
    const oldUrl = hookUrl;
    await go('Integrations');
    await chooseAction(page, 'Factory', 'Rotate secret…');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    hookUrl = (await leaveHandOver(page)).url;
    expect(hookUrl).not.toBe(oldUrl);
    const send = async (url: string) => {
      const body = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString(), widgetId });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(shown.service.url + new URL(url).pathname, { method: 'POST', headers, body })).status;
    };
    expect([await send(oldUrl), await send(hookUrl)]).toEqual([202, 202]);
    await page.getByText('by admin@localhost').waitFor();
    await page.getByText(/^Valid until/).waitFor();
    await expectNoBarriers();
    await press('End now');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'End old secret' }).click();
    await page.getByText('Old secret ended.').waitFor();
    await page.getByText(/^Valid until/).waitFor({ state: 'detached' });
    await expect.poll(() => send(oldUrl)).toBe(400);
    expect(await send(hookUrl)).toBe(202);
  });

  test('rotates a leaked secret: its streams are closed, and it stops working', async () => {
    const oldUrl = shown.service.url + new URL(streamUrl).pathname;
    await go('Streams');
    await chooseAction(page, 'Wall screen', 'Rotate secret…');
    await dialog().getByLabel('The secret has leaked').check();
    await dialog().getByText('0 open streams will be closed.').waitFor();
    const response = await fetch(oldUrl);
    await dialog().getByText('1 open stream will be closed.').waitFor();
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    const line = page.getByRole('group', { name: 'Stream URL (secret)' });
    await line.getByRole('button', { name: 'Show' }).click();
    streamUrl = (await line.locator('.secret').textContent()) ?? '';
    await line.getByRole('button', { name: 'Copy' }).click();
    await press("I've saved it");
    expect(await page.getByText(/^Valid until/).count()).toBe(0);
    expect(await response.text()).toContain('stream.open');
    await expect.poll(async () => (await fetch(oldUrl)).status).toBe(404);
  });

  test('revokes a subscription', async () => {
    await go('Streams');
    await chooseAction(page, 'Wall screen', 'Revoke…');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'None yet' }).waitFor();
    await expect.poll(async () => (await fetch(shown.service.url + new URL(streamUrl).pathname)).status).toBe(404);
  });

  test('makes a user, who must choose a password, and sees it in the audit log', async () => {
    await page.getByRole('link', { name: 'Your account: admin@localhost' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await expectNoBarriers();
    await go('Users');
    await press('Create user');
    await dialog().getByLabel('E-mail').fill('viewer@example.com');
    await dialog().getByLabel('Name').fill('Ines Moreau');
    await dialog().getByRole('button', { name: 'Generate' }).click();
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByRole('button', { name: 'Copy message for Ines Moreau' }).click();
    await expect.poll(isAsking).toBe(false);
    await expectNoBarriers();
    const message = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(message).toContain(`Address: ${shown.service.url}/console/\nE-mail: viewer@example.com\n`);
    const password = /^One-time password: (.+)$/m.exec(message)?.[1] ?? '';
    await dialog().getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('rowheader', { name: 'viewer@example.com' }).waitFor();
    await page.getByText('One-time password ends in ').waitFor();
    await expectNoBarriers();
    await go('Audit log');
    await page.getByLabel('Action').selectOption('user.created');
    await page.getByRole('rowheader', { name: 'created the user Ines Moreau' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?action=user.created');
    await expectNoBarriers();
    await page.getByRole('link', { name: 'Ines Moreau' }).click();
    await page.getByText('Only entries about Ines Moreau.').waitFor();
    await page.getByRole('button', { name: 'Show all entries' }).click();

    const { page: theirs } = await shown.open('');
    await theirs.getByLabel('E-mail').fill('viewer@example.com');
    await theirs.getByLabel('Password', { exact: true }).fill(password);
    await theirs.keyboard.press('Enter');
    await theirs.getByText('Choose your own password to continue.').waitFor();
    expect(await findBarriers(theirs)).toEqual([]);
    await theirs.getByLabel('Current password').fill(password);
    await theirs.getByLabel('New password').fill('entirely my own phrase');
    await theirs.keyboard.press('Enter');
    await navigation(theirs).waitFor();
    // A viewer sees only what a viewer may do.
    const areas = await navigation(theirs).getByRole('listitem').allTextContents();
    expect(areas).toEqual(['Widgets', 'Events']);
    await theirs.goto(`${shown.service.url}/console/hooks`);
    await theirs.getByRole('heading', { name: "You don't have access to this page" }).waitFor();
  });

  test('changes the role of a user, who must be confirmed as an admin, and undoes it', async () => {
    await go('Users');
    const role = page.getByLabel('Role: viewer@example.com');
    await role.selectOption('admin');
    await dialog().getByText('An admin manages users').waitFor();
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await role.inputValue()).toBe('viewer');
    await role.selectOption('admin');
    await dialog().getByRole('button', { name: 'Make admin' }).click();
    await page.getByText('Ines Moreau is now Admin.').waitFor();
    await expect.poll(() => role.inputValue()).toBe('admin');
    await expectNoBarriers();
    await press('Undo');
    await page.getByText('Ines Moreau is now Viewer.').waitFor();
    await expect.poll(() => role.inputValue()).toBe('viewer');
  });

  test('disables and enables a user, and lets a user sign in again', async () => {
    await chooseAction(page, 'Ines Moreau', 'Disable…');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Ines Moreau was disabled.').waitFor();
    await page.getByRole('rowheader', { name: 'Disabled' }).waitFor();
    await chooseAction(page, 'Ines Moreau', 'Enable');
    await page.getByText('Ines Moreau was enabled.').waitFor();
    await chooseAction(page, 'Ines Moreau', 'End sessions…');
    await dialog().getByRole('button', { name: 'End sessions' }).click();
    await page.getByText('All sessions of Ines Moreau were ended.').waitFor();
  });

  test('creates a provision token, and a script creates a widget with it', async () => {
    await page.getByRole('link', { name: 'Provision tokens' }).click();
    await press('Create provision token');
    await dialog().getByLabel('Name').fill('A script');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('Copy it now.').waitFor();
    const token = await readSecret();
    // The palette could lead to another dialog instead.
    await page.keyboard.press('Control+k');
    expect(await dialog().count()).toBe(1);
    const question = await stayWhenAsked(page, () => page.evaluate('history.back()'));
    expect(question.message()).toContain('Leave without a copy?');
    expect(await readSecret()).toBe(token);
    await dialog().getByRole('button', { name: 'Copy', exact: true }).click();
    await expect.poll(isAsking).toBe(false);
    await press("I've saved it");
    await createClient({ baseUrl: shown.service.url, provisionToken: token }).createWidget({ name: 'By a script' });
    await go('Widgets');
    await page.getByRole('listitem').filter({ hasText: 'By a script' }).waitFor();
  });

  test('has left no secret in the address, the history or the storage, and no complaint of the browser', async () => {
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])',
    );
    for (const secret of [streamUrl, hookUrl]) {
      expect(kept).not.toContain(new URL(secret).pathname.split('/').at(-1));
    }
    expect(complaints).toEqual([]);
  });
});
