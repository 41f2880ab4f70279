import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { chooseMain, type Environment } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
const cleanups: (() => void)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-log-'));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  await rm(folder, { recursive: true, force: true });
});

/** Where a process writes its standard output and error: a descriptor, or a pipe that the test then closes. */
const logTargets = {
  'a full device': () => openDescriptor('/dev/full', constants.O_WRONLY),
  'a named pipe that nobody reads': () => {
    const fifo = join(folder, 'log');
    execFileSync('mkfifo', [fifo]);
    // Open for reading, too: a pipe without a reader would be closed instead.
    return openDescriptor(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  },
  'a pipe that nobody reads': () => 'pipe' as const,
  'a pipe whose reader has gone': () => 'pipe' as const,
} as const;
type LogTarget = keyof typeof logTargets;

function openDescriptor(path: string, flags: number): number {
  const descriptor = openSync(path, flags);
  cleanups.push(() => closeSync(descriptor));
  return descriptor;
}

/** Starts a process whose log nobody gets. Resolves once it is ready. */
async function startUnread(app: 'api' | 'worker', target: LogTarget, environment: Environment) {
  const [port, opsPort] = [await freePort(), await freePort()];
  const output = logTargets[target]();
  const child = spawn(process.execPath, [chooseMain(app, environment)], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: `${port}`, OPS_PORT: `${opsPort}`, DRAIN_DELAY_MS: '0', ...environment },
    stdio: ['ignore', output, output],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('error', () => undefined);
    if (target === 'a pipe whose reader has gone') stream?.destroy();
    else stream?.pause();
  }
  const [url, opsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`];
  const exited = once(child, 'exit');
  const isReady = () =>
    fetch(`${opsUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await Promise.race([
    eventually(isReady, `the ${app} is ready`),
    exited.then(([code, signal]) => Promise.reject(new Error(`the ${app} ended with ${code ?? signal}`))),
  ]);
  return { child, url, opsUrl, exited };
}

async function countDroppedLines(opsUrl: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^widget_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

describe.each(Object.keys(logTargets) as LogTarget[])('a service that logs to %s', (target) => {
  test.each([
    ['JSON', {}],
    ['as on a terminal', setOptions({ isLogPretty: true })],
  ])('goes on without its log, counts the lost lines, and stops as usual (%s)', async (_, options) => {
    const { child, url, opsUrl, exited } = await startUnread('api', target, { DATA_DIR: folder, ...options });
    // More lines than all buffers together hold.
    for (let round = 0; round < 80; round += 1) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/nowhere`)));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    }
    await eventually(async () => (await countDroppedLines(opsUrl)) > 0, 'lines are dropped');
    const elapsedMs = startStopwatch();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(elapsedMs()).toBeLessThan(30_000);
  });
});

describe('a start that fails and cannot say why', () => {
  test.each(Object.keys(logTargets) as LogTarget[])(
    'ends with its exit code, with its output to %s',
    async (target) => {
      const output = logTargets[target]();
      const child = spawn(process.execPath, ['apps/api/src/main.ts'], {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', PORT: 'http' },
        stdio: ['ignore', output, output],
      });
      if (target === 'a pipe whose reader has gone')
        for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      expect(await once(child, 'exit')).toEqual([78, null]);
    },
  );
});

describe('a worker', () => {
  let run: ClusterRun;
  beforeAll(async () => {
    run = await openClusterRun();
  });
  afterAll(() => run.dispose());

  test('that logs to a full device goes on, and stops as usual', async () => {
    const { child, opsUrl, exited } = await startUnread('worker', 'a full device', run.environment);
    expect(await countDroppedLines(opsUrl)).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
