import { readFile } from 'node:fs/promises';
import type { BrowserContext, Dialog, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findBarriers, signInByPage } from '../../drivers/cluster/console-browser.ts';
import { chooseAction, describeEmbedded, readHandOver, stayWhenAsked } from './shown-service.ts';

/** Long, right to left, and without a place where it could wrap. */
const name = `שותף ${'a'.repeat(160)}`;

describeEmbedded('an integration is handed over in the console', (shown) => {
  let profile: BrowserContext;
  let page: Page;
  let complaints: readonly string[];
  let url: string;
  let signingSecret: string;
  beforeAll(async () => {
    ({ profile, page, complaints } = await shown.openSignedIn('/hooks'));
    await profile.grantPermissions(['clipboard-read', 'clipboard-write']);
  });

  const dialog = () => page.getByRole('dialog');
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  const handOverHeading = () => page.getByRole('heading', { level: 1, name: 'Hand-over' });

  test('shows the secrets of a new one when asked to', async () => {
    await page.getByRole('button', { name: 'Create integration' }).click();
    await dialog().getByLabel('Name').fill(name);
    await dialog().getByLabel('Require signed hooks').check();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByText('Waiting for the first hook…').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const hidden = await page.content();
    ({ url, signingSecret = '' } = await readHandOver(page));
    expect(url).toMatch(/^http.*\/api\/v1\/events\/hooks\/\S{20,}$/);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(hidden).not.toContain(url);
    expect(hidden).not.toContain(signingSecret);
  });

  test('fits a narrow phone, in dark colours', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('asks before it is left by a link, by Back or by a reload, while nobody has copied both secrets', async () => {
    const askedBefore = async (leave: () => Promise<unknown>) => {
      const question = await stayWhenAsked(page, leave);
      await handOverHeading().waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/hand-over$/);
      return question;
    };
    const byLink = await askedBefore(() => page.getByRole('link', { name: 'Widgets' }).click());
    expect(byLink.message()).toContain('Leave without a copy?');
    const byBack = await askedBefore(() => page.evaluate('history.back()'));
    expect(byBack.message()).toContain('Leave without a copy?');
    const byReload = await askedBefore(() => page.evaluate('location.reload()'));
    expect(byReload.type()).toBe('beforeunload');
    // Nothing is lost by a link within the page.
    const questions: string[] = [];
    const note = (question: Dialog) => {
      questions.push(question.message());
      void question.dismiss();
    };
    page.on('dialog', note);
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toBe('#content');
    page.off('dialog', note);
    expect(questions).toEqual([]);
  });

  test('says why a hook was refused, and when the first one arrived', async () => {
    const headers = { 'content-type': 'application/json' };
    const refused = await fetch(shown.service.url + new URL(url).pathname, { method: 'POST', headers, body: '{}' });
    expect(refused.status).toBe(400);
    await page.getByText(/^Refused \d\d:\d\d:\d\d: .*signature/i).waitFor();
    await page.getByText('Waiting for the first hook…').waitFor();
    // The form knows both secrets.
    await page.getByRole('button', { name: 'Send test hook' }).click();
    expect(await dialog().getByLabel('Secret URL').inputValue()).toBe(url);
    await dialog().getByLabel('Kind').selectOption('Created');
    await dialog().getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^202 Accepted · /).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByText(/^First hook arrived \d\d:\d\d:\d\d$/).waitFor();
    expect(await page.getByText('Waiting for the first hook…').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('copies each secret, instructions without one, and samples', async () => {
    await page.getByRole('button', { name: 'Copy instructions' }).click();
    await expect.poll(readClipboard).toContain('https://www.standardwebhooks.com');
    expect(await readClipboard()).not.toContain(new URL(url).pathname.split('/').at(-1));
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Python');
    await page.getByRole('button', { name: 'Copy code' }).click();
    await expect.poll(readClipboard).toContain("os.environ['HOOK_SECRET']");
    for (const [label, secret] of [
      ['Hook URL', url],
      ['Signing secret', signingSecret],
    ] as const) {
      await page.getByRole('group', { name: label }).getByRole('button', { name: 'Copy' }).click();
      await expect.poll(readClipboard).toBe(secret);
    }
  });

  test('is left without a question then, leads to the delivery, and never shows the secrets again', async () => {
    await page.getByRole('link', { name: 'View hook' }).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'The secrets are shown only once' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href, document.body.innerHTML])',
    );
    for (const secret of [new URL(url).pathname.split('/').at(-1) ?? '', signingSecret]) {
      expect(kept).not.toContain(secret);
    }
  });

  test('offers the new secrets of a rotation as a file, which counts as a copy', async () => {
    await page.goto(`${shown.service.url}/console/hooks`);
    await chooseAction(page, name, 'Rotate secret…');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const rotated = await readHandOver(page);
    expect(rotated.url).not.toBe(url);
    await page.getByText('The old secret is valid until').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as .env' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('hook.env');
    expect(await readFile(await file.path(), 'utf8')).toBe(
      `HOOK_URL=${rotated.url}\nHOOK_SECRET=${rotated.signingSecret}\n`,
    );
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  });

  test('forgets the secrets when the session ends', async () => {
    await page.goto(`${shown.service.url}/console/hooks`);
    await chooseAction(page, name, 'Rotate secret…');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const rotated = await readHandOver(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    expect(await page.content()).not.toContain(rotated.url);
    await signInByPage(page);
    await page.getByRole('heading', { name: 'The secrets are shown only once' }).waitFor();
    // Nobody asks any more.
    await page.getByRole('link', { name: 'Provision tokens' }).click();
    await page.getByRole('button', { name: 'Create provision token' }).click();
    await dialog().getByLabel('Name').fill('Late');
    await page.route('**/provision-tokens', async (route) => {
      const response = await route.fetch();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('E-mail').waitFor();
      await route.fulfill({ response });
    });
    await Promise.all([page.waitForResponse('**/provision-tokens'), page.keyboard.press('Enter')]);
    await signInByPage(page);
    expect(await dialog().count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
