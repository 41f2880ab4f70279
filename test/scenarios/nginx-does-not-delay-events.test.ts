import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { hasBrowser, startBrowser } from '../drivers/cluster/console-browser.ts';
import { createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, startService, withOrigin } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

const canRun = hasBrowser && spawnSync('nginx', ['-v']).status === 0;
if (!canRun && process.env.REQUIRE_BROWSER === '1') throw new Error('nginx is missing');

const folder = await makeSharedFolder();
let service: ServiceProcess;
let nginx: ChildProcess;
let proxyUrl: string;
/** A page whose origin differs from the stream's, like an operator's own console. */
let consoleUrl: string;

beforeAll(async () => {
  if (!canRun) return;
  service = await startService('api', { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password });
  const [port, consolePort] = [await freePort(), await freePort()];
  proxyUrl = `http://127.0.0.1:${port}`;
  consoleUrl = `http://127.0.0.1:${consolePort}/`;
  await writeFile(join(folder, 'nginx.conf'), formatConfiguration(port, service.url, consolePort));
  nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
  await eventually(
    () =>
      fetch(proxyUrl).then(
        () => true,
        () => false,
      ),
    'nginx answers',
  );
});
afterAll(async () => {
  if (!canRun) return;
  nginx.kill();
  await service.stop('SIGKILL');
});

test.runIf(canRun)(
  'a browser behind nginx with default buffering receives stream.open and each event within 1 s',
  async () => {
    const client = await signIn(service.url);
    const subscription = await client.createSubscription('browser');
    const integration = await client.createIntegration('shop');
    const browser = await startBrowser();
    const sender = createHookSender(1);
    try {
      const page = await browser.newPage();
      await page.goto(consoleUrl);
      const sinceOpenedMs = startStopwatch();
      const openedAfterMs = await page.evaluate(openEventSource, withOrigin({ url: proxyUrl }, subscription.url));
      // The page's clock or the stopwatch, which subtracts stolen CPU time.
      expect(Math.min(openedAfterMs, sinceOpenedMs())).toBeLessThan(1_000);
      const occurredAt = new Date().toISOString();
      await sender.send(integration.url, { kind: 'updated', occurredAt, payload: { seen: true } });
      const sinceSentMs = startStopwatch();
      const receivedAfterMs = await page.evaluate(waitForEvent, 'widget.updated');
      expect(Math.min(receivedAfterMs, sinceSentMs())).toBeLessThan(1_000);
    } finally {
      sender.close();
      await browser.close();
    }
  },
);

/** Runs in the page. Opens the stream and returns after how many milliseconds `stream.open` arrived. */
function openEventSource(url: string): Promise<number> {
  const startedAtMs = performance.now();
  const source = new EventSource(url);
  const received = new Set<string>();
  Object.assign(globalThis, { receivedEvents: received });
  source.addEventListener('widget.updated', () => received.add('widget.updated'));
  return new Promise((resolve, reject) => {
    source.addEventListener('stream.open', () => resolve(performance.now() - startedAtMs));
    setTimeout(() => reject(new Error('no stream.open within 10 s')), 10_000);
  });
}

/** Runs in the page. Waits for an event with this name and returns how many milliseconds that took. */
function waitForEvent(name: string): Promise<number> {
  const startedAtMs = performance.now();
  const { receivedEvents } = globalThis as unknown as { receivedEvents: Set<string> };
  return new Promise((resolve, reject) => {
    const check = () => {
      const waitedMs = performance.now() - startedAtMs;
      if (receivedEvents.has(name)) resolve(waitedMs);
      else if (waitedMs > 10_000) reject(new Error(`no ${name} within 10 s`));
      else setTimeout(check, 5);
    };
    check();
  });
}

/** The shortest working configuration. It leaves nginx's default buffering on. */
function formatConfiguration(port: number, upstream: string, consolePort: number): string {
  return `
daemon off;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${upstream}; }
  }
  server {
    listen 127.0.0.1:${consolePort};
    default_type text/html;
    location / { return 200 '<title>console</title>'; }
  }
}
`;
}
