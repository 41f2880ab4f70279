import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import { describe, expect, test } from 'vitest';
import { aQuarantinedText } from '../../drivers/app/builders.ts';
import { findBarriers, hasBrowser } from '../../drivers/cluster/console-browser.ts';
import { openEmbeddedDeployment } from '../../faults/deployment.ts';
import { showService } from './shown-service.ts';

const dayMs = 86_400_000;
const hostile = aQuarantinedText({ text: '<img src=x onerror=alert(1)>\u202e\u001b[2J' });
const other = aQuarantinedText({
  reason: 'store-refused',
  integrationId: '7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
  quarantinedAt: new Date('2026-03-02T10:00:00Z'),
});

describe.runIf(hasBrowser)('the quarantine in the console', () => {
  const shown = showService(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-quarantine-'));
    const retention = { count: 1_000, ageMs: dayMs, bytes: 1e6 };
    const backend = await openEmbedded({
      dataDir: folder,
      retention,
      deliveryRetentionMs: dayMs,
    });
    for (const text of [hostile, other]) await backend.quarantine.insert(text);
    await backend.close();
    const deployment = await openEmbeddedDeployment({ DATA_DIR: folder });
    const removeFolder = () => rm(folder, { recursive: true, force: true });
    return { ...deployment, dispose: () => deployment.dispose().then(removeFolder) };
  });

  test('lists texts with their origin, shows one without running it, and discards it after a question', async () => {
    const { page, complaints } = await shown.openSignedIn('/hooks');
    await page.getByRole('link', { name: 'Quarantine' }).click();
    const rows = page.getByRole('table', { name: 'Quarantine' }).locator('tbody').getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.nth(0).textContent()).toContain('7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91');
    expect(await rows.nth(1).textContent()).toContain('It names no event or integration.');
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: `Show: ${hostile.id}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"<img src=x onerror=alert(1)>\\u202e\\u001b[2J"').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');

    const discard = page.getByRole('button', { name: `Discard: ${hostile.id}` });
    await discard.click();
    await dialog.getByText('This removes the text for good.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await discard.click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Text discarded.').waitFor();
    await discard.waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
