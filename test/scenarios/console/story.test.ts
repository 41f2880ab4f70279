import { createClient } from '@widget-service/client/client.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers, openProfile, openTab } from '../../drivers/cluster/console-browser.ts';
import { leaveHandOver } from './leave-hand-over.ts';
import { describeEachDeployment } from './shown-service.ts';

/** One story in one browser: each step needs what the steps before it have made. */
describeEachDeployment('a person with a browser and the console', (shown, name) => {
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

  const go = async (area: string) => {
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: area, exact: true })
      .click();
    await page.getByRole('heading', { level: 1, name: area }).waitFor();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const expectNoBarriers = async () => expect(await findBarriers(page)).toEqual([]);
  /** The secret that the dialog shows. */
  const readSecret = async () => (await dialog().locator('.secret').first().textContent()) ?? '';

  test('begins with the overview: all systems are normal, and every pod and worker is ready', async () => {
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByText('All systems normal').waitFor();
    const pods = page
      .getByRole('list', { name: 'Pods' })
      .getByRole('listitem')
      .filter({ hasText: /^Ready/ });
    await expect.poll(() => pods.count()).toBe(name === 'a cluster' ? 2 : 1);
    const workers = page
      .getByRole('list', { name: 'Workers' })
      .getByRole('listitem')
      .filter({ hasText: /^Ready/ });
    await expect.poll(() => workers.count()).toBe(name === 'a cluster' ? 2 : 0);
    await expectNoBarriers();
  });

  test('creates a subscription whose filter shows what would pass; its secret is shown once', async () => {
    await go('Streams');
    await expectNoBarriers();
    await press('Create subscription');
    await dialog().getByLabel('Name').fill('Wall screen');
    await dialog().getByLabel('Labels').fill('cellar');
    await dialog().getByText('Matches 1 of 1 widgets.').waitFor();
    await dialog().getByLabel('Labels').fill('attic');
    await dialog().getByText('Matches 0 of 1 widgets.').waitFor();
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
    const watching = await openTab(profile, shown.service.url, '/streams/events');
    await watching.page.getByText('Live', { exact: true }).waitFor();
    await page.bringToFront();
    await go('Integrations');
    await press('Create an integration');
    await dialog().getByLabel('Name').fill('Factory');
    await dialog().getByRole('button', { name: 'Create' }).click();
    hookUrl = (await leaveHandOver(page)).url;
    await page.getByRole('heading', { level: 1, name: 'Factory' }).waitFor();
    await page.getByRole('heading', { name: 'No delivery' }).waitFor();
    await press('Send a test hook');
    await dialog().getByLabel('Secret URL').fill(hookUrl);
    await dialog().getByLabel('Widget id').fill(widgetId);
    await dialog().getByLabel('Payload').fill('{"lux": 300}');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Send' }).click();
    await dialog()
      .getByText(/^Accepted as event /)
      .waitFor();
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
    await page.getByRole('table', { name: 'Refused hooks' }).getByText('invalid-request').waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Published').waitFor();
    await expectNoBarriers();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await page.getByText('"lux": 300').first().waitFor();
    await expectNoBarriers();
    await page.getByText('version 2').waitFor();
    await page.getByRole('link', { name: 'Boiler' }).click();
    await page.getByRole('heading', { name: 'Boiler' }).waitFor();
  });

  test('sees the history of a widget, which grows while it is open', async () => {
    const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    await entries.filter({ hasText: 'version 2' }).getByText('via Factory').waitFor();
    expect(await entries.last().textContent()).toContain('The widget was created');
    const body = JSON.stringify({ kind: 'retired', occurredAt: new Date().toISOString(), widgetId });
    const headers = { 'content-type': 'application/json' };
    await fetch(shown.service.url + new URL(hookUrl).pathname, { method: 'POST', headers, body });
    await entries.filter({ hasText: 'version 3' }).getByText('becomes retired').waitFor();
    expect(await entries.count()).toBe(3);
    await expectNoBarriers();
    await entries.first().getByRole('link', { name: 'Show the hook' }).click();
    await page.getByText('version 3, becomes retired').waitFor();
    await page.getByText('"type": "widget.retired"').waitFor();
    await expectNoBarriers();
  });

  test('rotates a secret: the new one works, and the old one does not', async () => {
    await go('Integrations');
    await page.getByRole('button', { name: 'Rotate: Factory' }).click();
    await dialog().getByLabel('The old secret stays valid for').selectOption('no time: it ends now');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const { url: newUrl } = await leaveHandOver(page);
    expect(newUrl).not.toBe(hookUrl);
    const send = async (url: string) => {
      const body = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString(), widgetId });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(shown.service.url + new URL(url).pathname, { method: 'POST', headers, body })).status;
    };
    expect(await send(newUrl)).toBe(202);
    await expect.poll(() => send(hookUrl)).toBe(400);
  });

  test('revokes a subscription', async () => {
    await go('Streams');
    await page.getByRole('button', { name: 'Revoke: Wall screen' }).click();
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'None yet' }).waitFor();
    await expect.poll(async () => (await fetch(shown.service.url + new URL(streamUrl).pathname)).status).toBe(404);
  });

  test('makes a user, who must choose a password, and sees it in the audit events', async () => {
    await page.getByRole('link', { name: 'Your account: admin@localhost' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await expectNoBarriers();
    await go('Users');
    await press('Create a user');
    await dialog().getByLabel('E-mail').fill('viewer@example.com');
    await dialog().getByLabel('Password').fill('a first pass phrase');
    await expectNoBarriers();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('rowheader', { name: 'viewer@example.com' }).waitFor();
    await expectNoBarriers();
    await go('Audit log');
    await page.getByLabel('Action').selectOption('user.created');
    await page.getByRole('rowheader', { name: 'created the user viewer@example.com' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?action=user.created');
    await expectNoBarriers();

    const other = await openProfile(shown.browser);
    const { page: theirs } = await openTab(other, shown.service.url, '');
    await theirs.getByLabel('E-mail').fill('viewer@example.com');
    await theirs.getByLabel('Password', { exact: true }).fill('a first pass phrase');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('An admin chose your password.').waitFor();
    expect(await findBarriers(theirs)).toEqual([]);
    await theirs.getByLabel('Current password').fill('a first pass phrase');
    await theirs.getByLabel('New password').fill('entirely my own phrase');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    // A viewer sees only what a viewer may do.
    const areas = await theirs
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('listitem')
      .allTextContents();
    expect(areas).toEqual(['Widgets', 'Events']);
    await theirs.goto(`${shown.service.url}/console/hooks`);
    await theirs.getByRole('heading', { name: 'You may not see this page' }).waitFor();
    await other.close();
  });

  test('creates a provision token, and a script creates a widget with it', async () => {
    await page.getByRole('link', { name: 'Provision tokens' }).click();
    await press('Create a provision token');
    await dialog().getByLabel('Name').fill('A script');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('Copy it now.').waitFor();
    const token = await readSecret();
    await press("I've saved it");
    await createClient({ baseUrl: shown.service.url, provisionToken: token }).createWidget({ name: 'By a script' });
    await go('Widgets');
    await page.getByRole('option', { name: 'By a script' }).waitFor();
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
