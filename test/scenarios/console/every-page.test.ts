import { beforeAll, expect, test } from 'vitest';
import { findBarriers, signInByPage } from '../../drivers/cluster/console-browser.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { describeEmbedded } from './shown-service.ts';

/** The most pixels by which the page is too wide, in any of four frames: it may draw again for another width. */
const readExcess = `(async () => {
  let excess = 0;
  for (let frame = 0; frame < 4; frame += 1) {
    await new Promise(requestAnimationFrame);
    excess = Math.max(excess, document.documentElement.scrollWidth - innerWidth);
  }
  return excess;
})()`;

describeEmbedded('every page of the console', (shown) => {
  let paths: string[];
  beforeAll(async () => {
    const { service, client } = shown;
    const widget = await client.createWidget({ name: 'W'.repeat(200), labels: ['L'.repeat(64)] });
    const longName = { name: 'N'.repeat(100) };
    const subscription = await client.api.POST('/api/v1/subscriptions', { body: longName });
    const hebrewName = { name: 'שלום '.repeat(20).trim() };
    const integration = await client.api.POST('/api/v1/integrations', { body: hebrewName });
    const source = {
      preset: 'github',
      secrets: ['a secret of GitHub'],
      mapping: { kind: { from: '/action' } },
    } as const;
    const body = { ...longName, source: { ...source, secrets: [...source.secrets] } };
    const foreign = await client.api.POST('/api/v1/integrations', { body });
    await client.api.POST('/api/v1/provision-tokens', { body: longName });
    const post = (hook: object) =>
      fetch(service.url + new URL(integration.url).pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': 'I'.repeat(256) },
        body: JSON.stringify(hook),
      });
    expect((await post({})).status).toBe(400);
    const response = await post({
      kind: 'retired',
      occurredAt: new Date().toISOString(),
      widgetId: widget.id,
      payload: { text: 'P'.repeat(300) },
    });
    const eventId = response.headers.get('webhook-event-id');
    const readRefusals = async () => {
      const params = { path: { id: integration.id } };
      return (await client.api.GET('/api/v1/integrations/{id}/refusals', { params })).items;
    };
    await eventually(async () => (await readRefusals()).length === 1, 'the refusal is listed');
    const [refusal] = await readRefusals();
    paths = [
      '/overview',
      '/widgets',
      `/widgets/${widget.id}`,
      '/streams',
      `/streams/${subscription.id}`,
      `/streams/${subscription.id}?tab=code`,
      `/streams/${subscription.id}?tab=open`,
      `/streams/${subscription.id}?tab=settings`,
      '/streams/events',
      '/hooks',
      '/hooks/dead',
      '/hooks/quarantine',
      '/hooks/connect',
      `/hooks/${foreign.id}/mapping`,
      `/hooks/${integration.id}`,
      `/hooks/${integration.id}?state=refused&range=custom&refusal=${refusal?.requestId}`,
      `/hooks/${integration.id}/hand-over`,
      `/hooks/${integration.id}/deliveries/${eventId}`,
      '/access',
      '/access/users',
      '/access/tokens',
      '/access/audit',
    ];
  });

  // 640 pixels: a window of 1280 at a zoom of 200 %.
  test('scrolls only up and down, from 320 pixels to 4K, also with the longest texts, and has no barrier that axe-core finds', async () => {
    const { page, complaints } = await shown.open('/widgets');
    const found: string[] = [];
    const look = async (place: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.evaluate(readExcess);
        found.push(...(await findBarriers(page)).map((barrier) => `${place}, ${colorScheme}: ${barrier}`));
      }
    };
    await page.getByLabel('E-mail').waitFor();
    await look('sign-in');
    await signInByPage(page);
    await page.getByRole('button', { name: 'Create widget' }).click();
    await look('dialog');
    for (const path of paths) {
      await page.goto(`${shown.service.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      for (const width of [320, 360, 640, 768, 1_024, 3_840, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        const excess = await page.evaluate<number>(readExcess);
        if (excess > 0) found.push(`${path} is too wide by ${excess} of ${width} pixels`);
      }
      await look(path);
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('scrolls only up and down when an event of the longest name arrives; keeps the pause and the filter of events in the address', async () => {
    const { page } = await shown.openSignedIn('/streams/events');
    await page.getByText('Live', { exact: true }).waitFor();
    await shown.client.createWidget({ name: 'E'.repeat(200) });
    await page.getByText('E'.repeat(200)).first().waitFor();
    for (const width of [320, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate<number>(readExcess)).toBe(0);
    }
    await page.getByLabel('Filter events').fill('nobody writes this');
    await page.getByRole('heading', { name: 'No events match' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    // The address has both: they survive a reload.
    await page.reload();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await page.getByLabel('Filter events').inputValue()).toBe('nobody writes this');
    await page.getByLabel('Filter events').fill('');
    await shown.client.createWidget({ name: 'While paused' });
    await page.getByText('1 new while paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('While paused', { exact: true }).waitFor();
    await page.locator('summary').first().press('Enter');
    await page.locator('pre').getByText('"name": "While paused"').waitFor();
    await page.getByText(/^\d\d:\d\d:\d\d\.\d{3}$/).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });
});
