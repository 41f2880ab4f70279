import type { Page } from 'playwright-core';

/** Opens the menu of the row or page with this name, and chooses an entry. */
export async function chooseAction(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}
