import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openProfile, openTab } from '../../drivers/cluster/console-browser.ts';
import { describeEachDeployment } from './shown-service.ts';

/** An operator must find an answer in so long, in seconds. */
const answerSeconds = 30;

/** What an operator does with the console, one job after the other, each within a number of steps. */
describeEachDeployment('ten jobs of an operator in the console', (shown, deployment) => {
  const costs: Record<string, { readonly steps: number; readonly seconds: number }> = {};
  let profile: BrowserContext;
  let page: Page;
  let operator: ReturnType<typeof createPerson>;
  let complaints: readonly string[];
  let hookUrl: string;
  let boilerId: string;
  beforeAll(async () => {
    const { service, client, browser } = shown;
    boilerId = (await client.createWidget({ name: 'Boiler', labels: ['cellar'] })).id;
    for (let index = 1; index <= 30; index += 1) await client.createWidget({ name: `Lamp ${index}` });
    const { url } = await client.api.POST('/api/v1/integrations', { body: { name: 'Factory' } });
    hookUrl = service.url + new URL(url).pathname;
    await service.rejectPayloads('poison');
    await postHook('msg_published', { payload: { lux: 300 } });
    await postHook('msg_refused', { kind: 'painted' });
    for (const poison of [1, 2, 3]) await postHook(`msg_dead_${poison}`, { payload: { poison } });
    profile = await openProfile(browser);
    await profile.grantPermissions(['clipboard-read', 'clipboard-write']);
    ({ page, complaints } = await openTab(profile, service.url, ''));
    page.setDefaultTimeout(10_000);
    operator = createPerson(page);
  });
  afterAll(() => {
    const lines = Object.entries(costs).map(([job, { steps, seconds }]) => `${job}: ${steps} steps, ${seconds} s`);
    process.stdout.write(`Ten jobs, ${deployment}:\n${lines.join('\n')}\n`);
    return profile?.close();
  });

  const postHook = async (id: string, hook: object) => {
    const body = { kind: 'updated', occurredAt: new Date().toISOString(), widgetId: boilerId, ...hook };
    const headers = { 'content-type': 'application/json', 'webhook-id': id };
    await (await fetch(hookUrl, { method: 'POST', headers, body: JSON.stringify(body) })).arrayBuffer();
  };
  const dialog = () => page.getByRole('dialog');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  const navigation = () => page.getByRole('navigation', { name: 'Main navigation' });
  const go = async (title: string) => {
    await operator.click(navigation().getByRole('link', { name: title }));
    await heading(title).waitFor();
  };
  const finish = (job: string, most: { readonly steps: number; readonly seconds?: number }) => {
    const cost = operator.finishJob();
    costs[job] = cost;
    expect(cost.steps, `steps of: ${job}`).toBeLessThanOrEqual(most.steps);
    if (most.seconds !== undefined) expect(cost.seconds, `seconds of: ${job}`).toBeLessThanOrEqual(most.seconds);
  };

  test('1: is all well?', async () => {
    await operator.type(page.getByLabel('E-mail'), testAdmin.email);
    await operator.type(page.getByLabel('Password', { exact: true }), testAdmin.password);
    await operator.click(button('Sign in'));
    await page.getByText('1 problem, not urgent').waitFor();
    await page.getByText('3 hooks from 1 integration could not be processed').waitFor();
    finish('1 is all well', { steps: 3 });
  });

  test('2: what happened to this widget, and why?', async () => {
    await operator.press('Control+k');
    await operator.typeOn('boil');
    await page.getByRole('option', { name: 'Boiler' }).first().waitFor();
    await operator.press('Enter');
    await heading('Boiler').waitFor();
    const newest = page.locator('.history-entry').filter({ hasText: 'v2' });
    await newest.getByText('lux 300').waitFor();
    await newest.getByText('Factory').first().waitFor();
    await operator.click(newest.getByText('v2'));
    await newest.getByText('"lux": 300').first().waitFor();
    finish('2 what happened to this widget', { steps: 4 });
  });

  test('3: did the hook of the partner arrive?', async () => {
    for (const [id, verdict] of [
      ['msg_published', 'Arrived and published.'],
      ['msg_refused', 'Refused.'],
      ['msg_dead_1', 'Arrived, but it cannot be processed.'],
      ['msg_never_sent', 'Never reached any of these integrations.'],
    ] as const) {
      await operator.press('Control+k');
      await operator.typeOn(id);
      await page.getByRole('option', { name: `Find hook “${id}”` }).waitFor();
      await operator.press('Enter');
      await page.getByText(verdict).waitFor();
      finish(`3 did ${id} arrive`, { steps: 3, seconds: answerSeconds });
    }
  });

  test('4: what do I give the partner?', async () => {
    await go('Integrations');
    await operator.click(button('Create integration'));
    await operator.type(dialog().getByLabel('Name'), 'Partner');
    await operator.click(dialog().getByLabel('Require signed hooks'));
    await operator.click(dialog().getByRole('button', { name: 'Create' }));
    const copy = async (label: string) => {
      await operator.click(page.getByRole('group', { name: label }).getByRole('button', { name: 'Copy' }));
      return readClipboard();
    };
    const url = shown.service.url + new URL(await copy('Hook URL')).pathname;
    const secret = await copy('Signing secret');
    await operator.click(button('Copy instructions'));
    expect(await readClipboard()).toContain('webhook-signature');
    await createHookSender({ url, secret }).send({ kind: 'created', occurredAt: new Date().toISOString() });
    await page.getByText(/^First hook arrived/).waitFor();
    finish('4 what do I give the partner', { steps: 8, seconds: answerSeconds });
  });

  test('5: what do I give a front-end developer?', async () => {
    await go('Streams');
    await operator.click(button('Create subscription'));
    await operator.type(dialog().getByLabel('Name'), 'Wall screen');
    await operator.type(dialog().getByLabel('Labels'), 'cellar');
    await dialog().getByRole('option', { name: 'cellar' }).waitFor();
    await operator.click(dialog().getByRole('button', { name: 'Create' }));
    await heading('Wall screen').waitFor();
    const url = page.getByRole('group', { name: 'Stream URL (secret)' });
    await operator.click(url.getByRole('button', { name: 'Copy' }));
    expect(await readClipboard()).toMatch(/\/api\/v1\/events\/\S{20,}$/);
    await page.getByText('By the URL').waitFor();
    await postHook('msg_for_the_screen', { payload: { lux: 310 } });
    await page.locator('.event').filter({ hasText: 'Boiler' }).waitFor();
    await operator.click(link('Sample code'));
    await page.getByText('new EventSource(').waitFor();
    finish('5 what do I give a developer', { steps: 7 });
  });

  test('6: a token has leaked', async () => {
    await go('Integrations');
    await operator.click(button('Actions of Factory'));
    await operator.click(page.getByRole('menuitem', { name: 'Rotate secret…' }));
    await operator.click(dialog().getByLabel('The secret has leaked'));
    await operator.click(dialog().getByRole('button', { name: 'Rotate secret' }));
    await operator.click(page.getByRole('group', { name: 'Hook URL' }).getByRole('button', { name: 'Copy' }));
    const leakedUrl = hookUrl;
    hookUrl = shown.service.url + new URL(await readClipboard()).pathname;
    const post = async (url: string) => (await fetch(url, { method: 'POST' })).status;
    await expect.poll(() => post(leakedUrl), { timeout: 5_000 }).toBe(400);
    finish('6 a token has leaked', { steps: 6 });
  });

  test('7: did my redrive work?', async () => {
    const redriveAll = async (count: number) => {
      await operator.click(button(`Select all ${count} dead`));
      await operator.click(button(`Redrive ${count}`));
    };
    await go('Overview');
    await operator.click(link('Review'));
    await redriveAll(3);
    await page.getByText('3 deliveries are dead again: rejected by the database.').waitFor();
    finish('7 did my redrive work: no', { steps: 4, seconds: answerSeconds });
    await shown.service.rejectPayloads(null);
    operator.finishJob();
    await redriveAll(3);
    await page.getByRole('heading', { name: 'No dead deliveries' }).waitFor();
    finish('7 did my redrive work: yes', { steps: 2, seconds: answerSeconds });
  });

  test('8: a colleague needs access; who did what?', async () => {
    await go('Users');
    await operator.click(button('Create user'));
    await operator.type(dialog().getByLabel('E-mail'), 'on-call@example.com');
    await operator.type(dialog().getByLabel('Name'), 'On call');
    await operator.click(dialog().getByRole('button', { name: 'Generate' }));
    await operator.click(dialog().getByRole('button', { name: 'Create' }));
    await operator.click(dialog().getByRole('button', { name: 'Copy message for On call' }));
    expect(await readClipboard()).toContain('on-call@example.com');
    await operator.click(dialog().getByRole('button', { name: 'Done' }));
    await go('Audit log');
    await page.getByRole('rowheader', { name: 'created the user On call' }).waitFor();
    finish('8 a colleague needs access', { steps: 9 });
  });

  test('9: a look from the phone', async () => {
    const viewport = { width: 390, height: 844 };
    const phone = await shown.openSignedIn('', { viewport, hasTouch: true, isMobile: true });
    operator.finishJob();
    const person = createPerson(phone.page);
    await phone.page.getByText('All systems normal').waitFor();
    await person.click(phone.page.getByRole('link', { name: 'Integrations' }).first());
    await person.click(phone.page.getByRole('link', { name: 'Factory' }));
    await phone.page.getByRole('table', { name: 'Hooks' }).getByText('Boiler').first().waitFor();
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    costs['9 a look from the phone'] = person.finishJob();
    expect(phone.complaints).toEqual([]);
  });

  test('10: the same without a pointer', async () => {
    operator.finishJob();
    await operator.press('Control+k');
    await operator.typeOn('factory');
    await page.getByRole('option', { name: 'Factory' }).waitFor();
    await operator.press('Enter');
    await heading('Factory').waitFor();
    await operator.press('/');
    await operator.typeOn('msg_dead_2');
    await operator.press('Enter');
    await page.getByText('Arrived and published.').waitFor();
    finish('10 without a pointer', { steps: 6 });
    expect(complaints).toEqual([]);
  });
});

/** Somebody who works with the console. Each click, each text and each key is a step. */
function createPerson(page: Page) {
  let steps = 0;
  let startedAtMs = Date.now();
  const doStep = async (act: Promise<unknown>) => {
    steps += 1;
    await act;
  };
  return {
    click: (target: Locator) => doStep(target.click()),
    type: (field: Locator, text: string) => doStep(field.fill(text)),
    /** Types into whatever has the focus. */
    typeOn: (text: string) => doStep(page.keyboard.type(text)),
    press: (key: string) => doStep(page.keyboard.press(key)),
    /** What it took since the last call, or since the start. */
    finishJob: () => {
      const cost = { steps, seconds: Math.round((Date.now() - startedAtMs) / 100) / 10 };
      steps = 0;
      startedAtMs = Date.now();
      return cost;
    },
  };
}
