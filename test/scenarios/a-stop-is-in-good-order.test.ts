import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServiceProcess, startService } from '../support/service-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-stop-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const send = (service: ServiceProcess, signal: NodeJS.Signals) => process.kill(service.pid, signal);
const messages = (service: ServiceProcess) => service.lines.map(({ msg }) => msg);

it('a Ctrl-C that comes twice, from the terminal and from npm, is one', async () => {
  const service = await startService('api', { DATA_DIR: folder });
  send(service, 'SIGINT');
  send(service, 'SIGINT');
  expect(await service.exited).toBe(0);
  expect(messages(service)).toContain('stopped');
});

it('another signal during a drain ends the process at once', async () => {
  const service = await startService('api', { DATA_DIR: folder, DRAIN_DELAY_MS: '60000' });
  send(service, 'SIGTERM');
  while ((await fetch(`${service.opsUrl}/readyz`)).status !== 503);
  send(service, 'SIGINT');
  expect(await service.exited).toBe(1);
  expect(messages(service)).not.toContain('stopped');
});

it('`npm start` passes on a SIGTERM that reaches npm alone, and ends when the service has drained', async () => {
  const environment = { PATH: process.env.PATH ?? '', DATA_DIR: folder, PORT: '0', OPS_PORT: '0', LOG_FORMAT: 'json' };
  // A group of its own, so that whatever is left of it can be ended.
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
  const ending = await exited;
  endGroup(npm.pid);
  await closed;
  expect(lines.at(-1)).toContain('"stopped"');
  expect(ending).toEqual([0, null]);
});

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left of it.
  }
}
