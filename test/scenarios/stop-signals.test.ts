import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-stop-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const send = (service: ServiceProcess, signal: NodeJS.Signals) => process.kill(service.pid, signal);
const messages = (service: ServiceProcess) => service.lines.map(({ msg }) => msg);

test('a second SIGINT does not interrupt a drain, because one Ctrl-C arrives from the terminal and from npm', async () => {
  const service = await startService('api', { DATA_DIR: folder, DRAIN_DELAY_MS: '500' });
  // An unfinished request keeps the process from stopping before the second signal arrives.
  const { port } = new URL(service.url);
  const slowRequest = connect(Number(port), '127.0.0.1');
  const [head, body] = ['POST /api/v1/session HTTP/1.1', '{"email":"nobody@localhost","password":"whatever"}'];
  slowRequest.write(
    `${head}\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`,
  );
  await once(slowRequest, 'connect');
  send(service, 'SIGINT');
  await eventually(async () => messages(service).includes('draining'), 'the service drains');
  send(service, 'SIGINT');
  // When the process answers a later request, it has also handled the second signal.
  expect((await fetch(`${service.opsUrl}/livez`)).status).toBe(200);
  slowRequest.end(body.slice(1));
  expect(await service.exited).toBe(0);
  expect(messages(service)).toContain('stopped');
});

test('a different signal during a drain ends the process at once with exit code 1', async () => {
  const service = await startService('api', { DATA_DIR: folder, DRAIN_DELAY_MS: '60000' });
  send(service, 'SIGTERM');
  while ((await fetch(`${service.opsUrl}/readyz`)).status !== 503);
  send(service, 'SIGINT');
  expect(await service.exited).toBe(1);
  expect(messages(service)).not.toContain('stopped');
});

/** Starts a program of the service with a MongoDB that never answers. Resolves once it has connected to it. */
async function startWithSilentMongo(program: string) {
  const mongo = createServer().listen(0, '127.0.0.1');
  const connected = once(mongo, 'connection');
  await once(mongo, 'listening');
  const { port } = mongo.address() as AddressInfo;
  const child = spawn(process.execPath, [join(root, program)], {
    env: { MONGODB_URL: `mongodb://127.0.0.1:${port}/`, REDIS_URL: 'redis://127.0.0.1:1/' },
    stdio: 'ignore',
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    mongo.close();
  });
  const exited = once(child, 'exit');
  const [socket] = (await connected) as [Socket];
  socket.on('error', () => undefined);
  return { child, exited };
}

test.each([
  ['apps/api/src/main.ts', 0],
  ['apps/worker/src/main.ts', 0],
  ['apps/worker/src/migrate.ts', 143],
  ['apps/worker/src/new-epoch.ts', 143],
])('%s exits soon with code %i after a SIGTERM while it waits for MongoDB', async (program, code) => {
  const { child, exited } = await startWithSilentMongo(program);
  const elapsedMs = startStopwatch();
  child.kill('SIGTERM');
  expect(await exited).toEqual([code, null]);
  expect(elapsedMs()).toBeLessThan(10_000);
});

test('`npm start` forwards a SIGTERM that only npm received, and exits with 0 when the service has drained', async () => {
  const environment = { PATH: process.env.PATH ?? '', DATA_DIR: folder, PORT: '0', OPS_PORT: '0' };
  // Its own process group, so that the test can kill every process that is left.
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { ...environment, DRAIN_DELAY_MS: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const [exited, closed] = [once(npm, 'exit'), once(npm, 'close')];
  const lines: string[] = [];
  createInterface({ input: npm.stdout }).on('line', (line) => {
    lines.push(line);
    if (line.includes('"listening"')) npm.kill('SIGTERM');
  });
  const exit = await exited;
  killGroup(npm.pid);
  await closed;
  expect(lines.at(-1)).toContain('"stopped"');
  expect(exit).toEqual([0, null]);
});

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}
