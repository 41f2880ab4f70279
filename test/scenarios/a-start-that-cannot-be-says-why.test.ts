import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { signIn, testAdmin } from '../drivers/console-client.ts';
import { eventually } from '../drivers/eventually.ts';
import { freePort } from '../drivers/free-port.ts';
import { startService } from '../drivers/service-process.ts';
import { startRedis } from '../faults/redis-process.ts';

let run: ClusterRun;
beforeAll(async () => {
  run = await openClusterRun();
});
afterAll(() => run.dispose());

const start = (app: 'api' | 'worker', environment: Record<string, string>) => startService(app, environment);

const failureOf = (starting: Promise<unknown>) =>
  starting.then(
    () => 'it has started',
    (error: Error) => error.message,
  );

describe('a start that cannot be', () => {
  it('with one of the two URLs ends with 78 and names the other', async () => {
    const { REDIS_URL } = run.environment;
    await expect(start('api', { REDIS_URL: REDIS_URL ?? '' })).rejects.toThrow(/ended with 78: MONGODB_URL: not set/);
    await expect(start('worker', {})).rejects.toThrow(/ended with 78: MONGODB_URL and REDIS_URL: not set/);
  });

  it('with wrong settings ends with 78 and one line each, never showing a secret', async () => {
    const wrong = start('api', { ...run.environment, PORT: 'http', ADMIN_PASSWORD: 'shrt-secret' });
    await expect(wrong).rejects.toThrow(
      /ended with 78: PORT: "http" is not allowed.*\nADMIN_PASSWORD: the given value/s,
    );
    await expect(wrong).rejects.not.toThrow(/shrt-secret/);
  });

  it('without MongoDB ends with 69 when the time is over', async () => {
    const nowhere = { MONGODB_URL: `mongodb://127.0.0.1:${await freePort()}/`, START_TIMEOUT_MS: '700' };
    await expect(start('api', { ...run.environment, ...nowhere })).rejects.toThrow(/ended with 69/);
  });

  it('on a port that is taken ends with 78 and says which; a password that was made up by then is shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widget-taken-'));
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const port = `${(taken.address() as AddressInfo).port}`;
      const told = (names: string) => `${names}: 127.0.0.1:${port} is in use by another process`;
      const first = await failureOf(start('api', { DATA_DIR: folder, PORT: port }));
      expect(first).toContain('ended with 78');
      expect(first).toContain(told('HOST, PORT'));
      expect(first).toMatch(/First admin, shown only this once:\n.*admin@localhost\n {2}password {2}\S{12,}/);
      expect(await failureOf(start('api', { DATA_DIR: folder, OPS_PORT: port }))).toContain(told('OPS_HOST, OPS_PORT'));
    } finally {
      taken.close();
      await rm(folder, { recursive: true });
    }
  });

  it('on a Redis that would lose acknowledged hooks ends with 78 and says what to set', async () => {
    const port = await freePort();
    const forgetful = spawn('redis-server', [
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
        forgetful.stdout.on('data', (text) => /Ready to accept/.test(text) && resolve()),
      );
      const onIt = { ...run.environment, REDIS_URL: `redis://127.0.0.1:${port}/` };
      await expect(start('worker', onIt)).rejects.toThrow(/ended with 78.*append-only/s);
    } finally {
      forgetful.kill('SIGKILL');
    }
  });
});

it('a pod that starts before Redis lists and creates, is not ready, and is ready by itself once Redis is there', async () => {
  const redis = await startRedis();
  await redis.kill();
  const early = await run.startApi({ REDIS_URL: redis.url, REDIS_KEY_PREFIX: 'early' });
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
