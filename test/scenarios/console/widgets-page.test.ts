import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { setOptions } from '../../drivers/cluster/component-options.ts';
import { hasBrowser, signInByPage } from '../../drivers/cluster/console-browser.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { describeEachDeployment, describeEmbedded, postHook, showService } from './shown-service.ts';

const rows = (page: Page) => page.getByRole('list', { name: 'Widgets, newest first' }).getByRole('listitem');
const row = (page: Page, text: string) => rows(page).filter({ hasText: text });

describeEmbedded('the list of widgets', (shown) => {
  test('says why a sign-in fails, and shows the page that was asked for after one that works', async () => {
    const { page, complaints } = await shown.open('/widgets?state=retired');
    await page.getByLabel('E-mail').fill(testAdmin.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
    await page.getByText(/^Request /).waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await signInByPage(page);
    expect(await page.getByLabel('State').inputValue()).toBe('retired');
    expect(complaints).toEqual([]);
  });

  test('shows a widget that it creates, and the change by a hook, without a reload', async () => {
    const { streamCursor } = await shown.client.api.GET('/api/v1/widgets');
    const { page, complaints } = await shown.openSignedIn('/widgets');
    await page.getByText('Live', { exact: true }).waitFor();
    const newWidget = page.getByRole('button', { name: 'Show 1 new widget' });
    // The event comes before the answer that has the widget already.
    const hold = async (route: Route) => {
      const response = await route.fetch();
      await newWidget.waitFor();
      await route.fulfill({ response, json: { ...(await response.json()), streamCursor } });
    };
    await page.route(/\/api\/v1\/widgets\?/, hold, { times: 1 });
    await page.getByRole('button', { name: 'Create widget' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Boiler');
    await page.getByLabel('Labels').fill('cellar, heat');
    await page.getByLabel('Make me the owner').check();
    await page.getByLabel('Notify owner').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await row(page, 'Boiler').waitFor();
    expect(await newWidget.count()).toBe(0);
    const found = await shown.client.api.GET('/api/v1/widgets', { params: { query: { pageSize: 200 } } });
    const widget = found.items.find((item) => item.name === 'Boiler');
    expect(widget).toMatchObject({ labels: ['cellar', 'heat'], owner: { email: testAdmin.email, notify: true } });
    const { url } = await shown.client.api.POST('/api/v1/integrations', { body: { name: 'a sender' } });
    await postHook(shown.service.url + new URL(url).pathname, { kind: 'retired', widgetId: widget?.id });
    await row(page, 'Boiler').getByText('Retired').waitFor();
    await row(page, 'Boiler').click();
    await page.getByRole('heading', { name: 'Boiler' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/widgets/${widget?.id}`);
    expect(complaints).toEqual([]);
  });

  test('keeps the search in the address', async () => {
    for (const name of ['Lamp north', 'Lamp south']) await shown.client.createWidget({ name });
    const { page } = await shown.openSignedIn('/widgets');
    await page.getByLabel('Search by name, label or id').fill('lamp sou');
    await row(page, 'Lamp north').waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'Lamp south').waitFor();
    expect(await rows(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?search=lamp+sou');
  });

  test('finds by a label that is clicked, and opens a row in a tab of its own', async () => {
    for (const name of ['Valve 10', 'Valve 9']) await shown.client.createWidget({ name, labels: ['first floor'] });
    const { page, profile } = await shown.openSignedIn('/widgets');
    await row(page, 'Valve 9').getByText('first floor').click();
    await page.getByText(/^2 of \d+ widgets$/).waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await page.getByLabel('Search by name, label or id').inputValue()).toBe('label:"first floor"');
    const [tab] = await Promise.all([
      profile.waitForEvent('page'),
      rows(page)
        .first()
        .click({ modifiers: ['ControlOrMeta'], position: { x: 20, y: 10 } }),
    ]);
    await tab.getByRole('heading', { level: 1, name: 'Valve 9' }).waitFor();
    await page.getByLabel('Search by name, label or id').fill('no such');
    await page.getByRole('heading', { name: 'No widgets match “no such”' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows(page).first().waitFor();
    // A search that fails has not found that there are none, and can be tried again.
    const searches = /\/widgets\?.*pageSize=200/;
    const problem = { status: 400, title: 'Refused', detail: 'Not now.', code: 'validation-failed', requestId: '1' };
    const answer = { status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) };
    await page.route(searches, (route) => route.fulfill(answer));
    const none = page.getByRole('heading', { name: 'No widgets match “nowhere”' });
    await page.getByLabel('Search by name, label or id').fill('nowhere');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    expect(await none.count()).toBe(0);
    await page.unroute(searches);
    await page.getByRole('button', { name: 'Try again' }).click();
    await none.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('finds more than a hundred widgets by and by, and changes what it has found in place', async () => {
    const { client, service } = shown;
    const first = await client.createWidget({ name: 'Many 0' });
    for (let index = 1; index <= 100; index += 1) await client.createWidget({ name: `Many ${index}` });
    const { page } = await shown.openSignedIn('/widgets?search=many');
    await page.getByText(/^100 of \d+ widgets$/).waitFor();
    await page.getByRole('button', { name: 'Find more' }).click();
    await page.getByText(/^101 of \d+ widgets$/).waitFor();
    const { url } = await client.api.POST('/api/v1/integrations', { body: { name: 'another sender' } });
    await postHook(service.url + new URL(url).pathname, { kind: 'retired', widgetId: first.id });
    await rows(page).nth(100).getByText('Retired').waitFor();
    await client.createWidget({ name: 'Many more' });
    await client.createWidget({ name: 'Another' });
    await page.getByRole('button', { name: 'Show 1 new widget' }).click();
    await row(page, 'Many more').waitFor();
  });

  test('moves no row: new widgets wait until the person asks for them', async () => {
    await shown.client.createWidget({ name: 'The first' });
    const { page } = await shown.openSignedIn('/widgets');
    const before = await row(page, 'The first').boundingBox();
    await shown.client.createWidget({ name: 'The second' });
    await page.getByRole('button', { name: 'Show 1 new widget' }).waitFor();
    expect(await row(page, 'The first').boundingBox()).toEqual(before);
    await page.getByRole('button', { name: 'Show 1 new widget' }).click();
    await row(page, 'The second').waitFor();
  });

  test('signs out every tab of the browser', async () => {
    const { page, profile } = await shown.openSignedIn('/widgets');
    const other = await shown.open('/widgets', { profile });
    await other.page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const each of [page, other.page]) await each.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  test('says that the session has ended elsewhere, and goes on where the person was', async () => {
    const { page } = await shown.openSignedIn('/widgets?search=lamp');
    const sessions = await shown.client.api.GET('/api/v1/sessions');
    for (const { id, current } of sessions.items) {
      if (!current) await shown.client.api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    }
    await page.getByText('Your session has expired.').waitFor();
    await signInByPage(page);
    expect(await page.getByLabel('Search by name, label or id').inputValue()).toBe('lamp');
  });

  test('closes its stream while the tab is hidden, and shows what it missed afterwards', async () => {
    const countStreams = async () => (await shown.client.api.GET('/api/v1/overview')).pods[0]?.streamsOpen;
    await eventually(async () => (await countStreams()) === 0, 'the tabs of the other tests are closed');
    const { page } = await shown.openSignedIn('/widgets');
    await page.getByText('Live', { exact: true }).waitFor();
    await eventually(async () => (await countStreams()) === 1, 'the tab has a stream');
    const opened: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/session/stream')) opened.push(request.url());
    });
    await hideTab(page);
    await eventually(async () => (await countStreams()) === 0, 'the stream is closed');
    // A stream that was only interrupted would be opened again by now.
    await page.clock.fastForward(60_000);
    await shown.client.createWidget({ name: 'While it was hidden' });
    expect([opened, await countStreams()]).toEqual([[], 0]);
    await showTab(page);
    await page.getByRole('button', { name: 'Show 1 new widget' }).click();
    await row(page, 'While it was hidden').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });
});

describeEachDeployment('the list of widgets, when something fails,', (shown, name) => {
  const faults =
    name === 'a cluster'
      ? ['one pod after the other is replaced', 'a pod is killed', 'Redis is killed and comes back']
      : ['the process is killed and started again'];
  test.each(faults)('shows what it missed after a fault: %s', async (fault) => {
    const { page } = await shown.openSignedIn('/widgets');
    await page.getByText('Live', { exact: true }).waitFor();
    await Promise.all([
      shown.service.faults[fault]?.(),
      // On a cluster another pod takes over at once.
      name === 'a cluster' ? null : page.getByText('Reconnecting… What you see may be out of date').waitFor(),
    ]);
    await shown.client.createWidget({ name: `After the fault: ${fault}` });
    await page.getByRole('button', { name: /^Show \d+ new widget/ }).click();
    await row(page, `After the fault: ${fault}`).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  // The embedded log loses nothing by a crash.
  test.runIf(name === 'a cluster')('loads the list again after a gap, and the inspector shows the gap', async () => {
    const { page, profile } = await shown.openSignedIn('/widgets');
    const { page: inspector } = await shown.open('/streams/events', { profile });
    for (const each of [page, inspector]) await each.getByText('Live', { exact: true }).waitFor();
    await shown.service.faults['Redis comes back empty']?.();
    await shown.client.createWidget({ name: 'After the gap' });
    await inspector.getByText('Events are missing here').first().waitFor();
    await row(page, 'After the gap').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });
});

/** The embedded log never loses its end, but it drops its oldest events. */
describe.runIf(hasBrowser)('the list of widgets of one embedded process that keeps ten events', () => {
  const shown = showService(() => openEmbeddedDeployment(setOptions({ eventRetentionCount: 10, ringFrames: 10 })));

  test('loads the list again after a gap', async () => {
    const { client } = shown;
    const { page } = await shown.openSignedIn('/widgets');
    await page.getByText('Live', { exact: true }).waitFor();
    await client.createWidget({ name: 'Before the gap' });
    await page.getByRole('button', { name: 'Show 1 new widget' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Before the gap' }).waitFor();
    await hideTab(page);
    const countStreams = async () => (await client.api.GET('/api/v1/overview')).pods[0]?.streamsOpen;
    await eventually(async () => (await countStreams()) === 0, 'the stream is closed');
    for (let index = 1; index <= 40; index += 1) await client.createWidget({ name: `In the gap ${index}` });
    const listReads: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/v1/widgets') listReads.push(request.url());
    });
    await showTab(page);
    await page.getByText('41 widgets', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(listReads.length).toBeGreaterThan(0);
  });
});

/** As if the tab had been hidden for over a minute. Without a window, a tab is never hidden. */
async function hideTab(page: Page): Promise<void> {
  await page.clock.install();
  await setHidden(page, true);
  await page.clock.fastForward(61_000);
}

const showTab = (page: Page) => setHidden(page, false);

function setHidden(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);
}
