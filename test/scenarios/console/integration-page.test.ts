import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { showService } from './shown-service.ts';

/** One integration whose hooks must be signed. */
describe.runIf(hasBrowser)('the page of an integration', () => {
  const shown = showService(() => openEmbeddedDeployment());
  let page: Page;
  let complaints: readonly string[];
  let id: string;
  let url: string;
  let signingSecret: string;
  beforeAll(async () => {
    const body = { name: 'Factory', signature: 'standard-webhooks' } as const;
    const issued = await shown.client.api.POST('/api/v1/integrations', { body });
    ({ id, url, signingSecret = '' } = issued);
    ({ page, complaints } = await shown.openSignedIn(`/hooks/${id}`));
  });

  const dialog = () => page.getByRole('dialog');
  const deliveries = () => page.getByRole('table', { name: 'Deliveries' }).locator('tbody').getByRole('row');

  const post = async (headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
    expect((await fetch(shown.service.url + new URL(url).pathname, init)).status).toBe(400);
  };

  test('says why a list is empty', async () => {
    await page.getByText('Each accepted hook appears here').waitFor();
    await page.getByText('the problem is listed here for up to 7 days.').waitFor();
    await page.getByLabel('State').selectOption('Dead');
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('State').selectOption('All states');
  });

  test('sends a signed test hook', async () => {
    await page.getByRole('button', { name: 'Send a test hook' }).click();
    await dialog().getByLabel('Secret URL').fill(url);
    await dialog().getByLabel('Kind').selectOption('Created');
    await dialog().getByLabel('Signing secret').fill(signingSecret);
    expect(await findBarriers(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Send' }).click();
    await dialog()
      .getByText(/^Accepted as event /)
      .waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await deliveries().getByText('Published').waitFor();
  });

  test('shows which hooks were refused, from whom, and how many more there were', async () => {
    const refusals = page.getByRole('table', { name: 'Refused hooks' });
    await post({ 'webhook-id': 'msg_partner_4711' });
    for (let count = 1; count <= 20; count += 1) await post();
    const countRefusals = async () => {
      const { items } = await shown.client.api.GET('/api/v1/integrations/{id}/refusals', { params: { path: { id } } });
      return items.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
    };
    await eventually(async () => (await countRefusals()) === 21, 'the service has counted all refusals');
    await page.reload();
    const row = refusals.getByRole('row').filter({ hasText: 'msg_partner_4711' });
    await row.getByText('127.0.0.1').waitFor();
    await row.getByText('400').waitFor();
    await refusals
      .getByText(/^and \d+ more in the same second$/)
      .first()
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('answers whether a hook arrived, by what its sender knows', async () => {
    const search = page.getByRole('searchbox', { name: 'Webhook id or event id of a hook' });
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
    await page.getByRole('link', { name: 'View the hook' }).click();
    await page.getByRole('heading', { level: 1, name: eventId }).waitFor();
    await page.goBack();
    await find(eventId);
    await page.getByText('Arrived and published.').waitFor();
    expect(complaints).toEqual([]);
  });
});
