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
