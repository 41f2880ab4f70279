import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../drivers/app/identity-provider.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { hasBrowser, startBrowser } from '../drivers/cluster/console-browser.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';

const hasCluster = process.env.MONGODB_URL !== undefined && process.env.REDIS_URL !== undefined;

/** What an operator promises: a revoked session ends its streams within this time. */
const revocationMaxMs = 2_000;

let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.each([
  ['one embedded process', hasBrowser, startEmbedded],
  ['two pods of a cluster in turn', hasBrowser && hasCluster, startTwoPods],
] as const)('%s', (_, canRun, start) => {
  let provider: TestIdentityProvider;
  let proxy: Server;
  let url: string;
  let service: Awaited<ReturnType<typeof start>>;
  /** The pod that answered each request of a sign-in, by path. */
  const answeredBy: string[] = [];

  beforeAll(async () => {
    if (!canRun) return;
    proxy = createServer();
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    provider = await startIdentityProvider(url);
    service = await start({
      ADMIN_PASSWORD: testAdmin.password,
      PUBLIC_BASE_URL: url,
      OIDC_ISSUER_URL: provider.settings.OIDC_ISSUER_URL,
      OIDC_CLIENT_ID: provider.settings.OIDC_CLIENT_ID,
      OIDC_CLIENT_SECRET: provider.settings.OIDC_CLIENT_SECRET,
      OIDC_ROLE_MAPPING: 'staff=viewer,makers=editor,owners=admin',
    });
    passOnInTurn(proxy, service.pods, answeredBy);
  });
  afterAll(async () => {
    if (!canRun) return;
    proxy.closeAllConnections();
    proxy.close();
    await service.stop();
    await provider.close();
  });

  /** Signs in at the provider, through the link of the docs page. */
  async function signInInBrowser(login: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${url}/docs`);
    await page.click('#sign-in-by-identity');
    await page.fill('[name=login]', login);
    await page.click('button');
    return page;
  }

  test.runIf(canRun)('a browser signs in at the provider and gets the role of the claim', async () => {
    provider.setPerson('robin', { email: 'robin@example.com', roles: ['owners', 'staff'] });
    const page = await signInInBrowser('robin');
    await page.getByText('robin@example.com (admin)').waitFor();
    expect(page.url()).toBe(`${url}/docs`);
    // Cookies belong to a host, whatever its port, so the browser also has those of the provider.
    const cookies = (await page.context().cookies(url)).filter(({ name }) => name.startsWith('service_'));
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: 'service_console', httpOnly: true, sameSite: 'Lax' },
    ]);
    // Behind the proxy, neighbouring requests go to different pods.
    const [startedAt, finishedAt] = answeredBy.slice(-2);
    expect(startedAt === finishedAt).toBe(service.pods.length === 1);
    await page.context().close();
  });

  test.runIf(canRun)('a browser that signs in from a page of the console comes back to that page', async () => {
    provider.setPerson('toni', { email: 'toni@example.com', roles: ['makers'] });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${url}/console/widgets?name=bolt`);
    await page.getByRole('link', { name: 'Sign in through the identity provider' }).click();
    await page.fill('[name=login]', 'toni');
    await page.click('button');
    await page.getByRole('heading', { name: 'Widgets', exact: true }).waitFor();
    expect(page.url()).toBe(`${url}/console/widgets?name=bolt`);
    await page.context().close();
  });

  test.runIf(canRun)('two tabs of a browser sign in one after the other, and the back button leads on', async () => {
    provider.setPerson('chris', { email: 'chris@example.com', roles: ['makers'] });
    const context = await browser.newContext();
    const tabs = [await context.newPage(), await context.newPage()];
    for (const tab of tabs) await tab.goto(`${url}/api/v1/session/oidc?returnTo=/console/widgets`);
    for (const tab of tabs) {
      await tab.fill('[name=login]', 'chris');
      const callback = tab.waitForRequest(/oidc\/callback/);
      await tab.click('button');
      await tab.getByRole('heading', { name: 'Widgets', exact: true }).waitFor();
      // A reload of the callback, as after a slow answer.
      await tab.goto((await callback).url());
      await tab.getByRole('heading', { name: 'Widgets', exact: true }).waitFor();
    }
    await context.close();
  });

  test.runIf(canRun)('a page with a long address leads back to the console', async () => {
    provider.setPerson('sam', { email: 'sam@example.com', roles: ['makers'] });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${url}/console/widgets?search=${'x'.repeat(624)}`);
    await page.getByRole('link', { name: 'Sign in through the identity provider' }).click();
    await page.fill('[name=login]', 'sam');
    await page.click('button');
    await page.getByRole('heading', { name: 'Widgets', exact: true }).waitFor();
    await page.context().close();
  });

  test.runIf(canRun)(
    'disabling the user ends the open stream of the page, and the next sign-in is refused',
    async () => {
      provider.setPerson('kim', { email: 'kim@example.com', roles: ['makers'] });
      const page = await signInInBrowser('kim');
      await page.getByText('kim@example.com (editor)').waitFor();
      const userId = await page.evaluate(openPersonalStream);
      const admin = await signIn(service.pods.at(-1)?.url ?? '');
      const disabled = await admin.request('PATCH', `/api/v1/users/${userId}`, { disabled: true });
      const confirmedAtMs = Date.now();
      expect(disabled.status).toBe(200);
      const end = await page.evaluate(waitForEnd);
      expect(end.reason).toBe('revoked');
      expect(end.atMs - confirmedAtMs).toBeLessThan(revocationMaxMs);
      console.info(`stream ended ${end.atMs - confirmedAtMs} ms after the answer that disabled the user`);
      await page.goto(`${url}/api/v1/session/oidc`);
      // A page, not JSON.
      await page.getByRole('alert').getByText('Your user is disabled. Ask an admin of this service.').waitFor();
      await page.getByRole('link', { name: 'Sign in through the identity provider' }).waitFor();
      await page.context().close();
    },
  );

  test.runIf(canRun)('signing out everywhere ends the open stream of the page', async () => {
    provider.setPerson('alex', { email: 'alex@example.com', roles: 'staff' });
    const page = await signInInBrowser('alex');
    await page.getByText('alex@example.com (viewer)').waitFor();
    await page.evaluate(openPersonalStream);
    const signedOutAtMs = await page.evaluate(signOutEverywhere);
    const end = await page.evaluate(waitForEnd);
    expect(end.reason).toBe('revoked');
    expect(end.atMs - signedOutAtMs).toBeLessThan(revocationMaxMs);
    console.info(`stream ended ${end.atMs - signedOutAtMs} ms after the answer that signed out everywhere`);
    await page.context().close();
  });
});

interface RunningService {
  readonly pods: readonly ServiceProcess[];
  stop(): Promise<void>;
}

async function startEmbedded(environment: Record<string, string>): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-oidc-'));
  const pod = await startService('api', { ...environment, DATA_DIR: folder });
  return {
    pods: [pod],
    stop: async () => {
      await pod.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startTwoPods(environment: Record<string, string>): Promise<RunningService> {
  const run: ClusterRun = await openClusterRun();
  return { pods: [await run.startApi(environment), await run.startApi(environment)], stop: () => run.dispose() };
}

/** Sends the start and the callback of a sign-in, and all other requests, to the pods in turn. */
function passOnInTurn(proxy: Server, pods: readonly ServiceProcess[], answeredBy: string[]): void {
  let requests = 0;
  proxy.on('request', (incoming, answer) => {
    const { method, headers, url = '' } = incoming;
    const isSignIn = url.startsWith('/api/v1/session/oidc');
    const turn = isSignIn ? answeredBy.length : requests;
    requests += 1;
    const pod = pods[turn % pods.length]?.url ?? '';
    if (isSignIn) answeredBy.push(pod);
    const forwarded = request(new URL(url, pod), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
}

interface WatchedGlobal {
  end?: Promise<{ reason: string; atMs: number }>;
}

/** Runs in the page: opens a personal stream with EventSource. Returns the id of the user once the stream is open. */
async function openPersonalStream(): Promise<string> {
  const session = (await (await fetch('/api/v1/session')).json()) as { user: { id: string } };
  const source = new EventSource('/api/v1/session/stream');
  (globalThis as unknown as WatchedGlobal).end = new Promise((resolve) => {
    source.addEventListener('stream.closing', (event) => {
      const { data } = event as Event & { readonly data: string };
      resolve({ reason: JSON.parse(data).reason, atMs: Date.now() });
    });
  });
  await new Promise((resolve) => void source.addEventListener('stream.open', resolve));
  return session.user.id;
}

/** Runs in the page. Returns when the answer arrived. */
async function signOutEverywhere(): Promise<number> {
  const { csrfToken } = (await (await fetch('/api/v1/session')).json()) as { csrfToken: string };
  const response = await fetch('/api/v1/sessions', { method: 'DELETE', headers: { 'x-csrf-token': csrfToken } });
  if (response.status !== 204) throw new Error(`signing out answered ${response.status}`);
  return Date.now();
}

/** Runs in the page. Returns why and when the stream ended. */
async function waitForEnd(): Promise<{ reason: string; atMs: number }> {
  const { end } = globalThis as unknown as WatchedGlobal;
  if (end === undefined) throw new Error('no stream is open');
  return end;
}
