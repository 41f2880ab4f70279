import type { Dialog, Page } from 'playwright-core';

/** Opens the menu of the row or page with this name, and chooses an entry. */
export async function chooseAction(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Begins to leave the page, and stays when the page asks. Returns the question. */
export async function stayWhenAsked(page: Page, leave: () => Promise<unknown>): Promise<Dialog> {
  const asked = page.waitForEvent('dialog');
  const leaving = leave().catch(() => undefined);
  const question = await asked;
  await question.dismiss();
  await leaving;
  return question;
}
