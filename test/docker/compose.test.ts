import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testAdmin } from '../drivers/app/console-client.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { type Checkpoints, createCheckpoints } from '../faults/checkpoint.ts';
import { isLong } from '../faults/scale.ts';
import { checkCompose, compose, listContainers, startCompose, waitUntilHealthy } from './compose.ts';
import { crash, docker, inspect } from './engine.ts';

const credentials = { email: 'admin@example.com', password: testAdmin.password };
let load: Load;
let checkpoints: Checkpoints;

beforeAll(async () => {
  const elapsedMs = startStopwatch();
  startCompose();
  await waitUntilHealthy(120_000);
  console.log(`docker compose up: all containers are healthy after ${Math.round(elapsedMs() / 1_000)} s`);
  const rates = { hooksPerSecond: 20, createsPerSecond: 2, streams: 30, revocationsPerSecond: 0.2 };
  load = await openLoad({ url: 'http://127.0.0.1:8080' }, { ...rates, credentials });
  checkpoints = createCheckpoints('docker compose', checkCompose(), load);
  load.start();
}, 300_000);
afterAll(async () => {
  await load?.close();
  await checkpoints?.report();
  compose('down', '--volumes', '--timeout', '5');
}, 120_000);

test('Redis demands its password, which is in no command line', () => {
  const { id } = listContainers().find(({ service }) => service === 'redis')!;
  const password = docker(['exec', id, 'cat', '/run/stores/PASSWORD']).trim();
  expect(docker(['exec', id, 'redis-cli', 'ping'])).toContain('NOAUTH');
  expect(docker(['exec', '--env', `REDISCLI_AUTH=${password}`, id, 'redis-cli', 'ping'])).toBe('PONG\n');
  expect(docker(['exec', id, 'cat', '/proc/1/cmdline'])).not.toContain(password);
});

test('a container of each kind crashes and is started again, and nothing is lost', async () => {
  for (const service of ['api', 'worker', 'redis', 'mongodb']) {
    const { id } = listContainers().find((one) => one.service === service)!;
    const startedAt = inspect(id, '{{.State.StartedAt}}');
    crash(id);
    await eventually(async () => inspect(id, '{{.State.StartedAt}}') !== startedAt, `${service} runs again`, 30_000);
    await waitUntilHealthy(90_000);
  }
  await checkpoints.take('kill -9 of a container of each kind', { withinMs: 60_000 });
}, 500_000);

test.runIf(isLong)(
  'pods and workers that start while MongoDB does not answer for 45 s come back by themselves',
  { timeout: 400_000 },
  async () => {
    const { id } = listContainers().find((one) => one.service === 'mongodb')!;
    docker(['pause', id]);
    for (const one of listContainers()) if (one.service === 'api' || one.service === 'worker') crash(one.id);
    await delay(45_000);
    docker(['unpause', id]);
    await waitUntilHealthy(150_000);
    await checkpoints.take('MongoDB does not answer for 45 s at a start', { withinMs: 60_000 });
  },
);

test('all containers are stopped and started again, and nothing is lost', async () => {
  compose('stop', '--timeout', '20');
  expect(listContainers().map(({ id }) => inspect(id, '{{.State.Running}}'))).not.toContain('true');
  compose('start');
  await waitUntilHealthy(120_000);
  await checkpoints.take('all stopped and started', { withinMs: 60_000, isLast: true });
}, 400_000);
