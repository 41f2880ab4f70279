import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { describeEmbedded } from './shown-service.ts';

describeEmbedded('the console by the keyboard alone', (shown) => {
  const isFocusVisible = (page: Page) => page.evaluate<boolean>("document.activeElement.matches(':focus-visible')");
  const nameFocused = (page: Page) =>
    page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

  /** Presses Tab until the element with this name has the focus. Each element on the way must show that it has it. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 30; presses += 1) {
      if ((await nameFocused(page)) === name) return;
      await page.keyboard.press('Tab');
      expect(await isFocusVisible(page), await page.evaluate<string>('document.activeElement.outerHTML')).toBe(true);
    }
    throw new Error(`Tab does not lead to "${name}"`);
  }

  test('leads from the sign-in to a stream, an integration and every page', async () => {
    const { page, complaints } = await shown.open('/widgets');
    const { keyboard } = page;
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByLabel('E-mail').waitFor();
    await keyboard.type(testAdmin.email);
    await keyboard.press('Tab');
    await keyboard.type(testAdmin.password);
    await keyboard.press('Enter');
    await heading('Widgets');

    for (const name of ['Lamp one', 'Lamp two']) {
      await tabTo(page, 'Create widget');
      await keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await keyboard.type(name);
      await keyboard.press('Enter');
      await page.getByRole('listitem').filter({ hasText: name }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => nameFocused(page)).toBe('Create widget');
    }
    await keyboard.press('/');
    // In a field, it is text.
    await keyboard.type('/');
    expect(await page.getByLabel('Search by name, label or id').inputValue()).toBe('/');
    await keyboard.press('Backspace');
    await keyboard.type('one');
    await page.getByText('1 of 2 widgets', { exact: true }).waitFor();
    const isAtRow = async () => (await nameFocused(page)).startsWith('Lamp one');
    for (let presses = 0; presses < 5 && !(await isAtRow()); presses += 1) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await heading('Lamp one');

    for (const [action, word] of [
      ['Create subscription', 'a screen'],
      ['Create integration', 'a sender'],
    ] as const) {
      await keyboard.press('Control+k');
      await keyboard.type(action);
      await keyboard.press('Enter');
      await page.getByRole('dialog', { name: action }).waitFor();
      await keyboard.type(word);
      await keyboard.press('Enter');
      if (word === 'a sender') {
        await heading('Hand-over');
        page.once('dialog', (question) => void question.accept());
        await tabTo(page, 'Done');
        await keyboard.press('Enter');
        await heading(word);
        continue;
      }
      await heading(word);
      await tabTo(page, "I've saved it");
      await keyboard.press('Enter');
      await expect.poll(() => nameFocused(page)).toBe(word);
      await tabTo(page, 'Sample code');
      await keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Browser' }).waitFor();
    }

    for (const title of ['Users', 'Provision tokens', 'Audit log', 'Lamp two']) {
      await keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
      await keyboard.type(title);
      await page.getByRole('option').getByText(title, { exact: true }).first().waitFor();
      await keyboard.press('Enter');
      await heading(title);
    }
    expect(complaints).toEqual([]);
  });

  test('leaves Enter to input methods, and knows shortcuts on other layouts', async () => {
    const { page } = await shown.openSignedIn('/widgets');
    const palette = page.getByRole('dialog', { name: 'Search or go to' });
    /** Sends a key as a keyboard without Latin letters or an input method does. */
    const press = (init: object) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ bubbles: true, cancelable: true, ...init })}))`,
      );
    await press({ key: 'k', code: 'KeyK', ctrlKey: true, altKey: true, modifierAltGraph: true });
    expect(await palette.count()).toBe(0);
    await press({ key: 'л', code: 'KeyK', ctrlKey: true });
    await palette.waitFor();
    await press({ key: 'Enter', code: 'Enter', isComposing: true });
    await press({ key: 'Enter', code: 'Enter', keyCode: 229 });
    expect(await palette.count()).toBe(1);
    await press({ key: 'Enter', code: 'Enter' });
    await palette.waitFor({ state: 'detached' });
  });
});
