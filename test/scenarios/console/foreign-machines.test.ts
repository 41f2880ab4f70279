import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findBarriers, signInByPage } from '../../drivers/cluster/console-browser.ts';
import { describeEmbedded } from './shown-service.ts';

/** Runs in the page before any of its scripts. */
const nameLocale = (name: string) =>
  `Object.defineProperty(navigator, 'language', { get: () => ${JSON.stringify(name)} });`;
const nameZone = (name: string) =>
  `const read = Intl.DateTimeFormat.prototype.resolvedOptions;
   Intl.DateTimeFormat.prototype.resolvedOptions = function () {
     return { ...read.call(this), timeZone: ${name} };
   };`;
const refuse = (name: string) => `() => { throw new DOMException('refused', '${name}'); }`;
const bothStorages = (get: string) =>
  `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: ${get} });`;

const environments = [
  ['the locale en-US@posix', nameLocale('en-US@posix')],
  ['the locale C', nameLocale('C')],
  ['the locale en_US', nameLocale('en_US')],
  ['a locale without a name', nameLocale('')],
  ['no locale', `Object.defineProperty(navigator, 'language', { get: () => undefined });`],
  ['the locale ar-EG', nameLocale('ar-EG')],
  ['the time zone Etc/Unknown', nameZone(`'Etc/Unknown'`)],
  ['a time zone that the browser does not have', nameZone(`'Mars/Olympus'`)],
  ['no time zone', nameZone('undefined')],
  [
    'blocked site data',
    `${bothStorages(refuse('SecurityError'))} window.BroadcastChannel = class { constructor() { (${refuse('SecurityError')})(); } };`,
  ],
  ['no storage', bothStorages('() => null')],
  ['a full disk', `Storage.prototype.setItem = ${refuse('QuotaExceededError')};`],
] as const;

describeEmbedded('the console on the machines of other people', (shown) => {
  /** The list of widgets. */
  const rows = (page: Page) => page.getByRole('list', { name: /^Widgets/ }).getByRole('listitem');

  test.each(environments)('shows every page and keeps forms usable with %s', async (_, script) => {
    await shown.client.createWidget({ name: 'Lamp' });
    const { page, complaints } = await shown.open('/widgets', { script });
    await signInByPage(page);
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Create widget' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Half a lamp');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/^Updated/).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row').nth(1).waitFor();
    expect(complaints).toEqual([]);
  });

  test('says that times are in UTC where the browser does not know its time zone', async () => {
    const { page } = await shown.openSignedIn('/widgets', { script: nameZone(`'Etc/Unknown'`) });
    await page.getByText('no data of its time zone (Etc/Unknown). Times are in UTC.').waitFor();
    await page.getByRole('button', { name: 'UTC: show times in UTC' }).waitFor();
  });

  test('says that a page has failed, keeps the way to others, and offers to reload', async () => {
    // What only the audit log does.
    const script = `Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { get() {
        if (location.pathname.endsWith('/audit')) throw new Error('a mistake of the page');
        return Object.getOwnPropertyDescriptor(window.Original, 'format').get.call(this);
      } });`;
    const keep = `window.Original = Object.create(null, Object.getOwnPropertyDescriptors(Intl.DateTimeFormat.prototype));`;
    await shown.client.createWidget({ name: 'Lamp' });
    const { page } = await shown.openSignedIn('/access/audit', { script: keep + script });
    const alert = page.getByRole('alert');
    await alert.getByText('a mistake of the page').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Widgets' }).first().click();
    await rows(page).first().waitFor();
    await page.evaluate("HTMLDialogElement.prototype.showModal = () => { throw new Error('a mistake of a dialog'); }");
    await page.getByRole('button', { name: 'Create widget' }).click();
    await alert.getByText('a mistake of a dialog').waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await Promise.all([page.waitForEvent('load'), alert.getByRole('button', { name: 'Reload' }).click()]);
    await alert.waitFor();
  });

  test.each([
    [
      'the sign-in page fails',
      `Object.defineProperty(document, 'title', { get: () => 'Failed', set() { throw new Error('no title'); } });`,
      'This page has failed',
    ],
    ['a script fails before it shows anything', `window.URL = undefined;`, 'The console has not started'],
    ['a script is not loaded', ``, 'The console has not started'],
  ])('is not blank if %s', async (title, script, text) => {
    const profile = await shown.browser.newContext();
    if (title.endsWith('not loaded')) await profile.route('**/*.js', (route) => route.abort());
    const { page } = await shown.open('/widgets', { profile, script });
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await Promise.all([page.waitForEvent('load'), page.getByText('Reload', { exact: true }).click()]);
    await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
  });

  test('asks the browser not to translate what changes', async () => {
    const { page } = await shown.open('/');
    expect(await page.locator('html').getAttribute('translate')).toBe('no');
    expect(await page.locator('meta[name=google]').getAttribute('content')).toBe('notranslate');
  });

  test.each([
    ['ahead of', 3],
    ['behind', -3],
  ])('goes by the clock of the service on a machine that is %s it by 3 hours', async (text, hours) => {
    const shift = hours * 3_600_000;
    const script = `const Real = Date;
      window.Date = class extends Real {
        constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${shift}] : given)); }
        static now() { return Real.now() + ${shift}; }
      };`;
    const body = { name: `a sender ${hours}`, signature: 'standard-webhooks' as const };
    const { id, url, signingSecret } = await shown.client.api.POST('/api/v1/integrations', { body });
    await shown.client.createWidget({ name: 'Clock' });
    const { page } = await shown.openSignedIn(`/hooks/${id}?range=hour`, { script });
    await page.getByText(`about 3 h ${text} the service's`).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await sendTestHook(page, url, signingSecret ?? '');
    await page
      .getByText(/accepted/i)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    // Of the last hour, and just now.
    await page.getByRole('table', { name: 'Hooks' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/^Updated (now|\d+ s ago)$/).waitFor();
  });

  test('says before and after a test hook that a page over plain HTTP cannot sign it', async () => {
    const { id, url, signingSecret } = await shown.client.api.POST('/api/v1/integrations', {
      body: { name: 'signed', signature: 'standard-webhooks' as const },
    });
    // As in a page over plain HTTP.
    const script = `Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined });`;
    const { page } = await shown.openSignedIn(`/hooks/${id}`, { script });
    await page.getByRole('button', { name: 'Send test hook' }).first().click();
    await page.getByText('This page is open over plain HTTP').waitFor();
    await page.keyboard.press('Escape');
    await sendTestHook(page, url, signingSecret ?? '');
    await page
      .getByRole('alert')
      .getByText(/signing needs HTTPS/)
      .waitFor();
  });

  async function sendTestHook(page: Page, url: string, secret: string): Promise<void> {
    await page.getByRole('button', { name: 'Send test hook' }).first().click();
    await page.getByLabel('Secret URL').fill(url);
    await page.getByLabel('Signing secret').fill(secret);
    await page.getByRole('dialog').getByRole('button', { name: 'Send test hook' }).click();
  }
});
