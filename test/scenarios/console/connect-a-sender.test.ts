import { createHmac, randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers } from '../../drivers/cluster/console-browser.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { chooseAction, describeEmbedded, leaveHandOver, readHandOver, stayWhenAsked } from './shown-service.ts';

const secret = 'what GitHub was given';

describeEmbedded('a foreign sender is connected in the console', (shown) => {
  let page: Page;
  let complaints: readonly string[];
  let hookUrl: string;
  let stream: StreamClient;
  beforeAll(async () => {
    const { url } = await shown.client.api.POST('/api/v1/subscriptions', { body: { name: 'screen' } });
    stream = await openStream(shown.service.url + new URL(url).pathname);
    ({ page, complaints } = await shown.openSignedIn('/hooks'));
  });

  const edit = async (label: string, change: (mapping: Record<string, unknown>) => object) => {
    const field = page.getByLabel(label, { exact: true });
    await field.fill(JSON.stringify(change(JSON.parse(await field.inputValue())), null, 2));
  };

  test('with the keyboard alone: sender, example, preview, integration', async () => {
    const { keyboard } = page;
    await page.getByRole('link', { name: 'Connect sender' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Connect sender' }).waitFor();
    await page.getByLabel('Name').focus();
    await keyboard.type('our repositories');
    await keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
    await keyboard.press('Tab');
    await keyboard.type(secret);
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByText('The request becomes a hook.').waitFor();
    // The preset has filled in a mapping. Another value is used for the widget.
    await edit('Source', ({ mapping, ...source }) => ({
      ...source,
      mapping: { ...(mapping as object), widgetId: { from: '/repository/id', as: 'name' } },
    }));
    await page.getByRole('row', { name: /Widget 1296269/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create integration' }).focus();
    await keyboard.press('Enter');
    hookUrl = shown.service.url + new URL((await readHandOver(page)).url).pathname;
    expect(await findBarriers(page)).toEqual([]);
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('button', { name: 'Done' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'our repositories' }).waitFor();
    expect(await page.getByText('GitHub', { exact: true }).isVisible()).toBe(true);
  });

  test('its request becomes an event', async () => {
    const body = '{"action":"archived","repository":{"id":7,"full_name":"a/b","updated_at":"2026-11-01T10:00:00Z"}}';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const own = { 'x-github-event': 'repository', 'x-github-delivery': 'one', 'x-hub-signature-256': signature };
    const headers = { 'content-type': 'application/json', ...own };
    const response = await fetch(hookUrl, { method: 'POST', headers, body });
    expect(response.status).toBe(202);
    await stream.until(() => stream.widgetEvents().length === 1, 'the event');
    expect(JSON.parse(stream.widgetEvents()[0]?.data ?? '')).toMatchObject({ type: 'widget.retired' });
  });

  test('its mapping is changed, and a mistake in it is explained', async () => {
    await page.getByRole('link', { name: 'Mapping' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mapping' }).waitFor();
    const field = page.getByLabel('Mapping', { exact: true });
    await expect.poll(() => field.inputValue()).toContain('x-github-event');
    const before = await field.inputValue();
    await page.getByRole('button', { name: 'Use example' }).click();
    await page.getByText('The request becomes a hook.').waitFor();
    await edit('Mapping', (mapping) => ({ ...mapping, occurredAt: { from: '/sender/login' } }));
    await page.getByText('Time: the text is no time of the format rfc3339').waitFor();
    await stayWhenAsked(page, () => page.getByRole('link', { name: 'Widgets' }).first().click());
    // What the service does not take is said in its words, and what is no JSON is not sent.
    await edit('Mapping', (mapping) => ({ ...mapping, colour: 'red' }));
    await page.getByRole('alert').getByText('colour').waitFor();
    await field.fill('{');
    await page.getByText('The mapping is no JSON object.').waitFor();
    expect(await page.getByRole('button', { name: 'Save mapping' }).isDisabled()).toBe(true);
    await field.fill(before);
    await edit('Mapping', (mapping) => ({ ...mapping, occurredAt: { now: true } }));
    await page.getByText('The request becomes a hook.').waitFor();
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByText('Mapping saved.').waitFor();
    const { items } = await shown.client.api.GET('/api/v1/integrations');
    expect(items[0]?.source?.mapping).toMatchObject({
      occurredAt: { now: true },
      widgetId: { from: '/repository/id', as: 'name' },
      only: [{ header: 'x-github-event', in: ['repository'] }],
    });
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('its secret is replaced, and its URL rotated with a secret', async () => {
    await page.getByRole('link', { name: 'our repositories' }).click();
    await page.getByRole('button', { name: 'Replace secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Secrets').fill('short');
    await dialog.getByRole('button', { name: 'Replace secret' }).click();
    await dialog.getByText('Must have at least 16 characters').waitFor();
    await dialog.getByLabel('Secrets').fill('the new secret of GitHub\nand the old one of GitHub');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByText('Secret replaced.').waitFor();
    await page.getByRole('link', { name: 'Integrations', exact: true }).first().click();
    await chooseAction(page, 'our repositories', 'Rotate secret…');
    await dialog.getByLabel('Secrets').fill('the new secret of GitHub');
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    await leaveHandOver(page);
    const { items } = await shown.client.api.GET('/api/v1/integrations');
    expect(items[0]).toMatchObject({ signature: 'source' });
  });

  test('the first request is waited for: it is refused, shown, mapped, and the next one accepted', async () => {
    await page.goto(`${shown.service.url}/console/hooks/connect`);
    await page.getByLabel('Name').fill('waiting for GitHub');
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Wait for first request' }).click();
    const url = shown.service.url + new URL((await leaveHandOver(page)).url).pathname;
    await page.getByText('Waiting for a refused request…').waitFor();
    const body = '{"action":"archived","repository":{"full_name":"a/b","stars":1.10}}';
    const post = async () => {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const own = {
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': signature,
        authorization: 'Basic c2VjcmV0',
      };
      const headers = { 'content-type': 'application/json', ...own };
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect(await post()).toBe(400);
    await page.getByText('1 request is kept.').waitFor();
    // It is in the editor by itself, without the header that may hold a secret.
    expect(await page.getByLabel('Body').inputValue()).toBe(body);
    expect(await page.getByLabel('Headers').inputValue()).not.toContain('authorization');
    await edit('Mapping', (mapping) => ({ ...mapping, kind: { from: '/action', values: { archived: 'retired' } } }));
    await page.getByText('The request becomes a hook.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByText('"stars": 1.10').waitFor();
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByText('Mapping saved.').waitFor();
    await eventually(async () => (await post()) === 202, 'the next request is accepted');
    await page.getByRole('button', { name: 'Delete requests and stop' }).click();
    await page.getByRole('button', { name: 'Keep refused requests' }).waitFor();
    const { items } = await shown.client.api.GET('/api/v1/integrations');
    const { id = '' } = items.find(({ name }) => name === 'waiting for GitHub') ?? {};
    const params = { path: { id } };
    expect(await shown.client.api.GET('/api/v1/integrations/{id}/samples', { params })).toEqual({
      keptUntil: null,
      items: [],
    });
    expect(complaints).toEqual([]);
  });

  test('what is typed is not left without a question, and is in no storage', async () => {
    await page.goto(`${shown.service.url}/console/hooks/connect`);
    await page.getByLabel('Secret').fill('a secret that is not kept');
    await page.getByLabel('Headers').fill('X-Gitlab-Token: s3cret of GitLab');
    await page.getByLabel('Body').fill('{"token":"s3cret of Slack"}');
    await stayWhenAsked(page, () => page.getByRole('link', { name: 'Widgets' }).first().click());
    expect(await page.getByLabel('Secret').inputValue()).toBe('a secret that is not kept');
    const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
    for (const text of ['a secret that is not kept', 's3cret']) expect(kept).not.toContain(text);
    stream.close();
  });
});
