import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { aQuarantinedText } from '../../drivers/app/builders.ts';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { showService } from './shown-service.ts';

const dayMs = 86_400_000;
const hostile = aQuarantinedText({ text: '<img src=x onerror=alert(1)>\u202e\u001b[2J' });
const other = aQuarantinedText({
  reason: 'store-refused',
  integrationId: '7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
  quarantinedAt: new Date('2026-03-02T10:00:00Z'),
});

/** One integration whose hooks must be signed, and a service that could not read two jobs. */
describe.runIf(hasBrowser)('the pages of integrations', () => {
  const shown = showService(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-quarantine-'));
    const backend = await openEmbedded({
      DATA_DIR: folder,
      EVENT_RETENTION_BYTES: 1_048_576,
      DELIVERY_RETENTION_MS: dayMs,
    });
    for (const text of [hostile, other]) await backend.quarantine.insert(text);
    await backend.close();
    const deployment = await openEmbeddedDeployment({ DATA_DIR: folder });
    const removeFolder = () => rm(folder, { recursive: true, force: true });
    return { ...deployment, dispose: () => deployment.dispose().then(removeFolder) };
  });
  let page: Page;
  let complaints: readonly string[];
  let id: string;
  let url: string;
  let signingSecret: string;
  let widgetId: string;
  beforeAll(async () => {
    const body = { name: 'Factory', signature: 'standard-webhooks' } as const;
    ({ id, url, signingSecret = '' } = await shown.client.api.POST('/api/v1/integrations', { body }));
    widgetId = (await shown.client.createWidget({ name: 'Boiler' })).id;
    ({ page, complaints } = await shown.openSignedIn(`/hooks/${id}`));
  });

  const dialog = () => page.getByRole('dialog');
  const rows = () => page.getByRole('table', { name: 'Hooks' }).locator('tbody').getByRole('row');
  const choose = (state: string) => page.getByRole('radio', { name: state }).check();

  const post = async (headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
    expect((await fetch(shown.service.url + new URL(url).pathname, init)).status).toBe(400);
  };

  test('say why a list is empty', async () => {
    await page.getByText('Each hook that the service accepts appears here.').waitFor();
    await choose('Refused');
    await page.getByText('appears here for 7 days (at most 100)').waitFor();
    await choose('Dead');
    await page.getByRole('heading', { name: 'No hooks match' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await choose('Accepted');
    expect(new URL(page.url()).search).toBe('');
  });

  test('send a signed test hook with an empty widget field or a pasted id, and none with another text', async () => {
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const widget = dialog().getByRole('combobox', { name: 'Widget' });
    await page.getByRole('button', { name: 'Send test hook' }).click();
    await dialog().getByLabel('Secret URL').fill(url);
    await dialog().getByLabel('Kind').selectOption('Created');
    await dialog().getByLabel('Signing secret').fill(signingSecret);
    expect(await findBarriers(page)).toEqual([]);
    // Widgets are suggested only for a text.
    await widget.click();
    await widget.press('Enter');
    await page.getByText(/^202 Accepted · \d+ ms · View event$/).waitFor();
    await dialog().getByText('"type": "widget.created"').waitFor();
    expect(requests).not.toContain('GET /api/v1/widgets');
    await dialog().getByLabel('Kind').selectOption('Updated');
    await widget.fill(widgetId);
    await widget.press('Enter');
    await dialog().getByText('"type": "widget.updated"').waitFor();
    // The text replaces no chosen widget.
    await widget.fill('no such widget');
    await dialog().getByRole('button', { name: 'Send' }).click();
    await dialog().getByText('No widgets match.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(2);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await rows().last().getByText('Published').waitFor();
  });

  test('show which hooks were refused, from whom, and how many more there were', async () => {
    await post({ 'webhook-id': 'msg_partner_4711' });
    for (let count = 1; count <= 20; count += 1) await post();
    const readRefusals = async () =>
      (await shown.client.api.GET('/api/v1/integrations/{id}/refusals', { params: { path: { id } } })).items;
    const countRefusals = async () => (await readRefusals()).reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
    await eventually(async () => (await countRefusals()) === 21, 'the service has counted all refusals');
    await page.reload();
    await rows().last().getByText('Published').waitFor();
    await choose('Refused');
    await page.getByRole('radio', { name: 'Refused 21' }).waitFor();
    await page.getByText('Refused hooks are kept for up to 7 days, at most 100.').waitFor();
    const rowOf = (text: string) => rows().filter({ hasText: text }).first();
    await rowOf('msg_partner_4711').getByRole('button').click();
    await page.getByRole('definition').getByText('127.0.0.1').waitFor();
    await page.getByRole('button', { name: 'Copy request id' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    // The address holds what is open. The keyboard opens and closes rows.
    await page.reload();
    await page.getByRole('button', { name: 'Copy webhook-id' }).waitFor();
    const first = rows().first().getByRole('button');
    const wasOpen = await first.getAttribute('aria-expanded');
    await first.press('Enter');
    await expect.poll(() => first.getAttribute('aria-expanded')).toBe(wasOpen === 'true' ? 'false' : 'true');
    const more = (await readRefusals()).find(({ unlisted }) => unlisted > 0);
    await page.goto(`${shown.service.url}/console/hooks/${id}?state=refused&refusal=${more?.requestId}`);
    await page.getByText(/^Stands for \d+ more hooks? with this problem/).waitFor();
    await choose('Accepted');
    await rows().last().getByText('Published').waitFor();
  });

  test('answer whether a hook arrived, by what its sender knows', async () => {
    const search = page.getByRole('searchbox', { name: 'Find a hook by webhook-id or event id' });
    const find = async (text: string) => {
      await search.fill(text);
      await page.keyboard.press('Enter');
    };
    await find('msg_partner_4711');
    await page.getByText('Refused.', { exact: true }).waitFor();
    await page.getByText('from 127.0.0.1').waitFor();
    await find('msg_unheard_of');
    await page.getByText('Never reached this integration.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    // The sender mends its hook and repeats it, while the operator watches.
    await find('msg_partner_4711');
    await page.getByText('Refused.', { exact: true }).waitFor();
    const sender = createHookSender({ url: shown.service.url + new URL(url).pathname, secret: signingSecret });
    const hook = { kind: 'created', occurredAt: new Date().toISOString() } as const;
    const { eventId } = await sender.send(hook, { id: 'msg_partner_4711' });
    await page.getByText('Arrived and published.').waitFor();
    await page.getByText('Refused once before.').waitFor();
    // The address holds the question, so that the answer can be sent to a colleague.
    await page.reload();
    await page.getByText('Arrived and published.').waitFor();
    await page.getByRole('link', { name: 'View hook' }).click();
    await page.getByRole('heading', { level: 1, name: 'No widget · created' }).waitFor();
    await page.getByText(eventId, { exact: true }).waitFor();
    await page.goBack();
    await find(eventId);
    await page.getByText('Arrived and published.').waitFor();
  });

  test('answer the same for all integrations, and name the one that got the hook', async () => {
    await shown.client.api.POST('/api/v1/integrations', { body: { name: 'Office' } });
    await page.getByRole('link', { name: 'Integrations' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
    const find = async (text: string) => {
      await page.keyboard.press('/');
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    const answer = page.getByRole('region', { name: 'Find a hook' }).getByRole('status');
    await find('msg_unheard_of');
    await answer.getByText('Never reached any of these integrations.').waitFor();
    await answer.getByText('Looked in all 2 integrations').waitFor();
    await find('msg_partner_4711');
    await answer.getByText('Arrived and published.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await answer.getByRole('link', { name: 'Factory' }).click();
    await page.getByRole('heading', { level: 1, name: 'Factory' }).waitFor();
  });

  test('list texts in quarantine with their origin, show one without running it, and discard it after a question', async () => {
    await page.getByRole('link', { name: 'Integrations' }).first().click();
    await page.getByRole('link', { name: 'Quarantine' }).click();
    const texts = page.getByRole('table', { name: 'Quarantine' }).locator('tbody').getByRole('row');
    await texts.nth(1).waitFor();
    expect(await texts.nth(0).textContent()).toContain('7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91');
    expect(await texts.nth(1).textContent()).toContain('It names no event or integration.');
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: `Show: ${hostile.id}` }).click();
    await dialog().getByText('"<img src=x onerror=alert(1)>\\u202e\\u001b[2J"').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');

    const discard = page.getByRole('button', { name: `Discard: ${hostile.id}` });
    await discard.click();
    await dialog().getByText('This removes the text for good.').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await discard.click();
    await dialog().getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Text discarded.').waitFor();
    await discard.waitFor({ state: 'detached' });
    expect(await texts.count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
