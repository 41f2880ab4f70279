import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { openMongodbWithoutRights } from '../faults/mongodb-without-rights.ts';
import { startRedis } from '../faults/redis-process.ts';

let run: ClusterRun;
beforeAll(async () => {
  run = await openClusterRun();
});
afterAll(() => run.dispose());

const start = (app: 'api' | 'worker', environment: Record<string, string>, main?: string) =>
  startService(app, environment, main);

const getStartError = (starting: Promise<unknown>) =>
  starting.then(
    () => 'the service has started',
    (error: Error) => error.message,
  );

describe('a start that fails', () => {
  test('with invalid settings exits with 78 and prints one line for each, without its secret value', async () => {
    const wrong = start('api', { ...run.environment, PORT: 'http', ADMIN_PASSWORD: 'shrt-secret' });
    await expect(wrong).rejects.toThrow(
      /ended with 78: PORT: "http" is not allowed.*\nADMIN_PASSWORD: the given value/s,
    );
    await expect(wrong).rejects.not.toThrow(/shrt-secret/);
  });

  // The 30 s that a start waits pass in 0.3 s.
  const fastClock =
    '--import=data:text/javascript,const%20now=performance.now.bind(performance);performance.now=()=>100*now()';

  test('without MongoDB exits with 69', async () => {
    const nowhere = { MONGODB_URL: `mongodb://127.0.0.1:${await freePort()}/`, NODE_OPTIONS: fastClock };
    await expect(start('api', { ...run.environment, ...nowhere })).rejects.toThrow(/ended with 69/);
  });

  test('with the name of another replica set exits with 69 and says so', async () => {
    const ofOtherSet = { MONGODB_URL: `${run.environment.MONGODB_URL}?replicaSet=other`, NODE_OPTIONS: fastClock };
    const starting = start('worker', { ...run.environment, ...ofOtherSet });
    await expect(starting).rejects.toThrow(/ended with 69: .*no server is a member of other/s);
  });

  test('on a port in use exits with 78 and names the port; it still prints the password that it generated', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-taken-'));
    const otherServer = createServer().listen(0, '127.0.0.1');
    await once(otherServer, 'listening');
    try {
      const port = `${(otherServer.address() as AddressInfo).port}`;
      const formatMessage = (names: string) => `${names}: 127.0.0.1:${port} is in use by another process`;
      const first = await getStartError(start('api', { DATA_DIR: folder, PORT: port }));
      expect(first).toContain('ended with 78');
      expect(first).toContain(formatMessage('HOST, PORT'));
      expect(first).toMatch(/First admin, shown only this once:\n.*admin@localhost\n {2}password {2}\S{12,}/);
      const second = await getStartError(start('api', { DATA_DIR: folder, OPS_PORT: port }));
      expect(second).toContain(formatMessage('HOST, OPS_PORT'));
    } finally {
      otherServer.close();
      await rm(folder, { recursive: true });
    }
  });

  test('on an address that cannot be resolved, or is not of this machine, exits with 78 and names the setting', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-address-'));
    try {
      for (const host of ['no-such-host.invalid', '192.0.2.1', 'fe80::1']) {
        const message = await getStartError(start('api', { DATA_DIR: folder, HOST: host }));
        expect(message).toContain('ended with 78');
        expect(message).toContain(`HOST, OPS_PORT: ${host.includes(':') ? `[${host}]` : host}:0 `);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('on a folder of data that is a file exits with 78 and names the setting', async () => {
    await expect(start('api', { DATA_DIR: process.execPath })).rejects.toThrow(/ended with 78.*DATA_DIR: /s);
  });

  test('on a MongoDB that refuses its password exits with 78 at once, and says so without the password', async () => {
    const url = new URL(run.environment.MONGODB_URL ?? '');
    url.username = 'user';
    url.password = 'topsecret';
    const environment = { ...run.environment, MONGODB_URL: url.href };
    const mains = ['apps/worker/src/main.ts', 'apps/worker/src/new-epoch.ts', 'apps/worker/src/migrate.ts'];
    for (const [app, main] of [['api', undefined] as const, ...mains.map((file) => ['worker', file] as const)]) {
      const message = await getStartError(start(app, environment, main));
      expect(message).toMatch(/ended with 78: .*MONGODB_URL: .*user name or password: .*auth/is);
      expect(message).not.toContain('topsecret');
    }
  });

  test('on a Redis that refuses its password, or lacks its database, exits with 78 and names the setting', async () => {
    const redis = await startRedis();
    const { port } = new URL(redis.url);
    try {
      for (const target of [`redis://:topsecret@127.0.0.1:${port}/99`, `redis://user:topsecret@127.0.0.1:${port}/`]) {
        const environment = { ...run.environment, REDIS_URL: target };
        for (const main of [undefined, 'apps/worker/src/new-epoch.ts']) {
          const message = await getStartError(start('worker', environment, main));
          expect(message).toMatch(/ended with 78: .*REDIS_URL: Redis does not accept it/s);
          expect(message).not.toContain('topsecret');
        }
      }
    } finally {
      await redis.dispose();
    }
  });

  test.each([
    ['createIndexes', 'apps/worker/src/migrate.ts'],
    ['createIndexes', undefined],
    ['listIndexes', 'apps/worker/src/migrate.ts'],
    ['findAndModify', undefined],
  ])('with a user of MongoDB who may not %s (%s) exits with 78 and names it', async (command, main) => {
    const mongodb = await openMongodbWithoutRights(run.environment.MONGODB_URL ?? '', [command]);
    try {
      const message = await getStartError(start('worker', { ...run.environment, MONGODB_URL: mongodb.url }, main));
      expect(message).toMatch(new RegExp(`ended with 78: .*MONGODB_URL: .*permission .* ${command}:`, 's'));
    } finally {
      mongodb.close();
    }
  });

  test('on a Redis that would lose accepted hooks exits with 78 and says what to set', async () => {
    const port = await freePort();
    const unsafeRedis = spawn('redis-server', [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ]);
    try {
      await new Promise<void>((resolve) =>
        unsafeRedis.stdout.on('data', (text) => /Ready to accept/.test(text) && resolve()),
      );
      const environment = { ...run.environment, REDIS_URL: `redis://127.0.0.1:${port}/` };
      await expect(start('worker', environment)).rejects.toThrow(/ended with 78.*append-only/s);
    } finally {
      unsafeRedis.kill('SIGKILL');
    }
  });
});

test('a pod that starts before Redis lists and creates widgets, and becomes ready when Redis starts', async () => {
  const redis = await startRedis();
  await redis.kill();
  const early = await run.startApi({ REDIS_URL: redis.url });
  try {
    expect((await fetch(`${early.opsUrl}/startupz`)).status).toBe(200);
    expect((await fetch(`${early.opsUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${early.opsUrl}/readyz`)).status).toBe(503);
    const client = await signIn(early.url, testAdmin);
    expect((await client.createWidget({ name: 'early' })).status).toBe(201);
    const page = (await (await client.request('GET', '/api/v1/widgets')).json()) as { streamCursor: string | null };
    expect(page.streamCursor).toBeNull();
    await redis.start();
    await eventually(async () => (await fetch(`${early.opsUrl}/readyz`)).status === 200, 'ready');
    const metrics = await (await fetch(`${early.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^process_cpu_seconds_total /m);
    expect(metrics).toMatch(/^widget_http_requests_total\{.*route="\/api\/v1\/widgets".*\} \d/m);
  } finally {
    await early.stop('SIGKILL');
    await redis.dispose();
  }
});
