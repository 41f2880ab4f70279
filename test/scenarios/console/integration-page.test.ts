import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
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
    expect(complaints).toEqual([]);
  });
});
