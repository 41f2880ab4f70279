import type { Page } from 'playwright-core';

/** Secrets that the page shows. */
export interface ReadSecrets {
  readonly url: string;
  readonly signingSecret: string | undefined;
}

/** Shows and reads the secrets on the page that hands an integration over. */
export async function readHandOver(page: Page): Promise<ReadSecrets> {
  await page.getByRole('heading', { level: 1, name: 'Hand-over' }).waitFor();
  const show = page.getByRole('button', { name: 'Show', exact: true });
  while ((await show.count()) > 0) await show.first().click();
  const [url = '', signingSecret] = await page.locator('code.secret').allTextContents();
  return { url, signingSecret };
}

/** Reads the secrets, and leaves the page without a copy for the one that follows. */
export async function leaveHandOver(page: Page): Promise<ReadSecrets> {
  const secrets = await readHandOver(page);
  page.once('dialog', (question) => void question.accept());
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'Hand-over' }).waitFor({ state: 'detached' });
  return secrets;
}
