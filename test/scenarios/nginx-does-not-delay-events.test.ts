import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, startService, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

// A browser behind the nginx that we ship: `streams-survive-the-loss-of-all-pods.test.ts`.
const canRun = spawnSync('nginx', ['-v']).status === 0;
if (!canRun && process.env.REQUIRE_BROWSER === '1') throw new Error('nginx is missing');

const folder = await makeSharedFolder();
let service: ServiceProcess;
let nginx: ChildProcess;
let proxyUrl: string;

beforeAll(async () => {
  if (!canRun) return;
  service = await startService('api', { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password });
  const port = await freePort();
  proxyUrl = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'nginx.conf'), formatConfiguration(port, service.url));
  nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
  const answers = () =>
    fetch(proxyUrl).then(
      () => true,
      () => false,
    );
  await eventually(answers, 'nginx answers');
});
afterAll(async () => {
  if (!canRun) return;
  nginx.kill();
  await service.stop('SIGKILL');
});

test.runIf(canRun)(
  'behind nginx with default buffering, stream.open and each event arrive within 1 s',
  { timeout: 30_000 },
  async () => {
    const client = await signIn(service.url);
    const subscription = await client.createSubscription('screen');
    const integration = await client.createIntegration('shop');
    const sender = createHookSender(1);
    const sinceOpenedMs = startStopwatch();
    const stream = await openStream(withOrigin({ url: proxyUrl }, subscription.url));
    await stream.until(() => stream.events.length > 0, 'stream.open');
    expect(sinceOpenedMs()).toBeLessThan(1_000);
    for (let number = 1; number <= 3; number += 1) {
      const occurredAt = new Date().toISOString();
      await sender.send(integration.url, { kind: 'updated', occurredAt, payload: { number } });
      const sinceSentMs = startStopwatch();
      await stream.until(() => stream.widgetEvents().length === number, 'the event of the hook');
      expect(sinceSentMs()).toBeLessThan(1_000);
    }
    stream.close();
    sender.close();
  },
);

/** The shortest working configuration. It leaves nginx's default buffering on. */
function formatConfiguration(port: number, upstream: string): string {
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
}
`;
}
