import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { fetchOpenApiDocument } from '../drivers/app/openapi-document.ts';
import { hasBrowser as canRun, signInByPage, startBrowser } from '../drivers/cluster/console-browser.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const folder = await makeSharedFolder();
let service: ServiceProcess;
/** Forwards requests under `/base` and removes that prefix, as an operator's proxy does. */
let proxy: Server;
let browser: Browser;

beforeAll(async () => {
  if (!canRun) return;
  proxy = createServer();
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  service = await startService('api', {
    DATA_DIR: folder,
    ADMIN_PASSWORD: testAdmin.password,
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}/base`,
  });
  proxy.on('request', (incoming, answer) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith('/base/')) return answer.writeHead(404).end();
    const forwarded = request(new URL(url.slice('/base'.length), service.url), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    return incoming.pipe(forwarded);
  });
  browser = await startBrowser();
});
afterAll(async () => {
  if (!canRun) return;
  await browser.close();
  proxy.closeAllConnections();
  proxy.close();
  await service.stop('SIGKILL');
});

interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the browser, including violations of the Content-Security-Policy. */
  readonly complaints: string[];
  /** The addresses of all requests. */
  readonly requests: string[];
}

async function openPage(url: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (failed) => complaints.push(`${failed.url()} failed: ${failed.failure()?.errorText}`));
  page.on('request', (sent) => requests.push(sent.url()));
  await page.goto(url);
  return { page, complaints, requests };
}

function locateOperation(page: Page, summary: string): Locator {
  return page.locator('.opblock', { has: page.getByText(summary, { exact: true }) });
}

/** Opens an operation on the page and executes it. Returns the status and the body that the page shows. */
async function execute(page: Page, summary: string): Promise<{ status: string; body: string }> {
  const operation = locateOperation(page, summary);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('button.execute').click();
  const answer = operation.locator('.live-responses-table tbody tr').first();
  const status = (await answer.locator('.response-col_status').textContent()) ?? '';
  const body = (await answer.locator('.response-col_description').textContent()) ?? '';
  return { status: status.trim(), body };
}

async function signInByForm(page: Page, password: string): Promise<void> {
  await page.fill('#email', testAdmin.email);
  expect(await page.locator('#password').getAttribute('type')).toBe('password');
  await page.fill('#password', password);
  await page.click('#sign-in button');
}

test.runIf(canRun)(
  'the docs page shows all operations, and a user signs in, lists, creates and signs out by its buttons',
  async () => {
    const { page, complaints, requests } = await openPage(`${service.url}/docs`);
    const document = await fetchOpenApiDocument(service);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    await page
      .locator('.opblock')
      .nth(operations.length - 1)
      .waitFor();
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    for (const { summary } of operations) expect(await locateOperation(page, summary).count(), summary).toBe(1);

    await signInByForm(page, testAdmin.password);
    await page.getByText(`${testAdmin.email} (admin)`).waitFor();
    const cookies = await page.context().cookies();
    const session = { name: 'service_console', httpOnly: true, sameSite: 'Lax', path: '/', expires: -1 };
    expect(cookies).toContainEqual(expect.objectContaining(session));
    expect((await execute(page, 'Create a widget')).status).toBe('201');
    const listed = await execute(page, 'List widgets');
    expect(listed.status).toBe('200');
    expect(listed.body).toContain('"name": "Pump 7"');

    // After a reload, the page fetches the CSRF token again.
    await page.reload();
    await page.getByText(`${testAdmin.email} (admin)`).waitFor();
    expect((await execute(page, 'Create a widget')).status).toBe('201');
    expect(await page.locator('.live-responses-table').count()).toBe(1);
    await page.click('#sign-out');
    await page.getByText('Signed out.').waitFor();
    // What the user has seen is gone, too.
    await page.locator('.live-responses-table').waitFor({ state: 'detached' });
    expect(await page.context().cookies()).toEqual([]);

    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(`${service.url}/`))).toEqual([]);
  },
);

test.runIf(canRun)('the docs page reports a wrong password and keeps the sign-in form', async () => {
  const { page } = await openPage(`${service.url}/docs`);
  await signInByForm(page, 'wrong horse battery');
  await page.getByText('E-mail or password is wrong.').waitFor();
  expect(await page.locator('#sign-in').isVisible()).toBe(true);
  expect(await page.locator('#password').inputValue()).toBe('');
});

test.runIf(canRun).each(['Sign out', 'Sign out everywhere'])(
  'executing the operations "Sign in" and "%s" also updates the page',
  async (signOut) => {
    const { page, complaints } = await openPage(`${service.url}/docs`);
    const signIn = locateOperation(page, 'Sign in');
    await signIn.locator('.opblock-summary-control').click();
    await signIn.locator('textarea.body-param__text').fill(JSON.stringify(testAdmin));
    await signIn.locator('button.execute').click();
    await page.getByText(`${testAdmin.email} (admin)`).waitFor();
    expect((await execute(page, signOut)).status).toBe('204');
    await page.locator('#message', { hasText: 'Signed out.' }).waitFor();
    expect(await page.locator('#sign-in').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  },
);

test.runIf(canRun)(
  'a user changes the password on the docs page, and goes on in the session that this starts',
  async () => {
    const admin = await signIn(service.url);
    const kim = { email: 'kim@example.com', password: 'correct horse battery' };
    expect((await admin.request('POST', '/api/v1/users', { ...kim, role: 'editor' })).status).toBe(201);
    const { page, complaints } = await openPage(`${service.url}/docs`);
    await page.fill('#email', kim.email);
    await page.fill('#password', kim.password);
    await page.click('#sign-in button');
    await page.getByText(`${kim.email} (editor)`).waitFor();
    const change = locateOperation(page, 'Change your own password');
    await change.locator('.opblock-summary-control').click();
    const passwords = { currentPassword: kim.password, newPassword: 'incorrect donkey charger' };
    await change.locator('textarea.body-param__text').fill(JSON.stringify(passwords));
    await change.locator('button.execute').click();
    await change.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    expect((await execute(page, 'Create a widget')).status).toBe('201');
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test.runIf(canRun)('the docs page shows the messages of a stream, and no execute button for it', async () => {
  const { page, complaints } = await openPage(`${service.url}/docs`);
  const stream = locateOperation(page, 'Stream widget events');
  await stream.locator('.opblock-summary-control').click();
  await stream.getByText('stream.open').first().waitFor();
  expect(await stream.locator('button.execute, button.try-out__btn').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test.runIf(canRun)('the docs page works behind a proxy that removes a path prefix', async () => {
  const { port } = proxy.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}/base`;
  const { page, complaints, requests } = await openPage(`${base}/docs`);
  await signInByForm(page, testAdmin.password);
  await page.getByText(`${testAdmin.email} (admin)`).waitFor();
  expect((await execute(page, 'Create a widget')).status).toBe('201');
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${base}/`))).toEqual([]);
  await page.goto(`${base}/problems/not-found`);
  await page.getByRole('link', { name: 'All problems' }).click();
  await page.getByRole('link', { name: 'rate-limited' }).click();
  expect(await page.locator('h1').textContent()).toBe('Too many requests');
});

test.runIf(canRun)(
  'the console works behind a proxy that removes a path prefix, also at a path of a page',
  async () => {
    const { port } = proxy.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}/base`;
    const { page, complaints, requests } = await openPage(`${base}/console/access/tokens`);
    await signInByPage(page);
    await page.getByRole('heading', { name: 'Provision tokens' }).waitFor();
    await page.getByRole('link', { name: 'Widgets' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${base}/console/widgets`);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    // The first page had no session, and the reload ended a stream.
    expect(complaints.filter((text) => !text.includes('403') && !text.endsWith('net::ERR_ABORTED'))).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(`${base}/`))).toEqual([]);
  },
);
