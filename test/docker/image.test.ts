import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { docker, inspect, readImageName } from './engine.ts';

const image = readImageName();

test('the image names its user by number, so that Kubernetes can see that it is not root', () => {
  expect(inspect(image, '{{.Config.User}}')).toBe('1000:1000');
  console.log(`the image has ${Math.round(Number(inspect(image, '{{.Size}}')) / 1_000_000)} MB with its base`);
});

test('the image contains its sources and what they need: no test, no tool of a developer, no map', () => {
  const list = (...paths: string[]) =>
    docker(['run', '--rm', '--entrypoint', 'find', image, ...paths, '-type', 'f'])
      .trim()
      .split('\n');
  const own = list('/app/apps', '/app/packages', '/app/docs').filter((file) => !file.includes('/node_modules/'));
  const workspaces = [
    'apps/api/src',
    'apps/worker/src',
    'packages/shared/src',
    'packages/embedded/src',
    'packages/cluster/src',
  ];
  const tracked = execFileSync('git', ['ls-files', ...workspaces], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const isOfTests = (file: string) => /\.test\.|\/testing\//.test(file);
  expect(tracked.filter((file) => !isOfTests(file) && !own.includes(`/app/${file}`))).toEqual([]);
  expect(own.filter(isOfTests)).toEqual([]);
  expect(own).toContain('/app/docs/runbooks/dead-letters.md');
  expect(own).toContain('/app/apps/console/dist/manifest.webmanifest');
  const packages = new Set(
    list('/app/node_modules').map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? ''),
  );
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { dev?: true }>;
  };
  expect(packages.size).toBeGreaterThan(50);
  expect([...packages].filter((name) => lock.packages[`node_modules/${name}`]?.dev)).toEqual([]);
  expect(inspect(image, '{{index .Config.Labels "org.opencontainers.image.version"}}')).toMatch(/^\d+\.\d+\.\d+/);
  const mebibytes = Number(docker(['run', '--rm', '--entrypoint', 'du', image, '-sm', '/app']).split('\t')[0]);
  expect(mebibytes).toBeLessThan(90);
});

test.each<[string, readonly string[], number]>([
  ['api', [], 0],
  ['worker', ['node', 'apps/worker/src/main.ts'], 0],
  ['migration', ['node', 'apps/worker/src/migrate.ts'], 143],
])(
  'the %s, as process 1, stops at SIGTERM while it waits for a MongoDB that does not answer',
  async (_, command, code) => {
    // The first connection shows that the code has been loaded.
    const mongodb = createServer();
    await once(mongodb.listen(0, '127.0.0.1'), 'listening');
    const contacted = once(mongodb, 'connection');
    const mongodbUrl = `mongodb://127.0.0.1:${(mongodb.address() as AddressInfo).port}/`;
    const settings = { MONGODB_URL: mongodbUrl, REDIS_URL: 'redis://127.0.0.1:1/', OPS_PORT: '0', PORT: '0' };
    const variables = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const id = docker(['run', '--detach', '--network', 'host', ...variables, image, ...command]).trim();
    try {
      await contacted;
      docker(['stop', '--time', '5', id]);
      // An end by SIGKILL, after the five seconds, would be 137.
      expect(inspect(id, '{{.State.ExitCode}}')).toBe(String(code));
    } finally {
      docker(['rm', '--force', id]);
      mongodb.close();
    }
  },
);

test('the user of the image may change nothing of what it runs', () => {
  const writable = ['run', '--rm', '--entrypoint', 'find', image, '/app', '-writable'];
  expect(docker(writable)).toBe('');
});

test('a process of the image uses what Node has compiled before', () => {
  const count = "console.log(require('fs').readdirSync(require('module').getCompileCacheDir()).length)";
  const entries = Number(docker(['run', '--rm', '--entrypoint', 'node', image, '--eval', count]));
  expect(entries).toBeGreaterThan(500);
});

test('a container with a read-only root, no capability and an unknown user starts, is healthy, and ends at SIGTERM', async () => {
  const elapsedMs = startStopwatch();
  const settings = { OPS_PORT: String(await freePort()), DRAIN_DELAY_MS: '0' };
  const service = await startService('api', { DATA_DIR: await makeSharedFolder(), ...settings });
  console.log(`a container of the embedded service listens after ${Math.round(elapsedMs())} ms`);
  const name =
    docker(['ps', '--no-trunc', '--quiet', '--filter', `name=widget-scenario-${process.pid}-`]).split('\n')[0] ?? '';
  expect(inspect(name, '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.User}}')).toBe(
    'true [ALL] 23456:23456',
  );
  const isHealthy = async () => inspect(name, '{{.State.Health.Status}}') === 'healthy';
  await eventually(isHealthy, 'its health check succeeds', 30_000);
  expect((await fetch(`${service.url}/console/`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('the health check costs a fraction of a start of Node, and fails where nothing listens', () => {
  const [, ...command] = JSON.parse(inspect(image, '{{json .Config.Healthcheck.Test}}')) as string[];
  const run = (args: readonly string[]) => docker(['run', '--rm', '--entrypoint', 'bash', image, '-c', ...args]);
  // Twenty of each, so that the start of the container does not count. Processor time: a busy machine delays both.
  const timeMs = (line: string) => {
    const text = run([`TIMEFORMAT='%U %S'; { time for i in {1..20}; do ${line}; done; } 2>&1`]);
    return (
      text
        .trim()
        .split(' ')
        .reduce((sum, seconds) => sum + Number(seconds) * 1_000, 0) / 20
    );
  };
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const [checkMs, nodeMs] = [timeMs(`${quoted} || true`), timeMs('node --eval 0')];
  console.log(
    `a health check costs ${checkMs.toFixed(1)} ms of processor time, a start of Node ${nodeMs.toFixed(1)} ms`,
  );
  expect(checkMs).toBeLessThan(nodeMs / 5);
  expect(() => run([quoted])).toThrow();
});
