import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { mainsWithFailpoints } from '../faults/failpoints/failpoint.ts';

const run = promisify(execFile);
const diskBytes = 8 * 1024 * 1024;

/** A folder that a test can make full. */
interface FillableDisk {
  readonly folder: string;
  /** From now on, writes of this process fail. */
  fill(pid: number): Promise<void>;
  /** Lets writes of this process succeed again. */
  makeRoom(pid: number): Promise<void>;
  dispose(): Promise<void>;
}

/** Mounts an 8 MiB file system in memory. Returns null if this process is not allowed to mount one. */
async function openSmallDisk(): Promise<FillableDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-small-disk-'));
  const filler = join(folder, 'filler');
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'widget-small-disk', folder]);
  } catch {
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  return {
    folder,
    fill: async () => {
      // The write fails when the disk is full. What fitted stays on the disk.
      await writeFile(filler, Buffer.alloc(2 * diskBytes)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
    },
    makeRoom: () => rm(filler),
    dispose: async () => {
      await run('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A folder that is full because of a limit on the file size (RLIMIT_FSIZE) of one process. Its writes fail with EFBIG
 * if it handles SIGXFSZ. Returns null if the program `prlimit` is not installed.
 */
async function openLimitedDisk(): Promise<FillableDisk | null> {
  try {
    await run('prlimit', ['--version']);
  } catch {
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'widget-limited-disk-'));
  const limit = async (pid: number, soft: string) => {
    await run('prlimit', ['--pid', `${pid}`, `--fsize=${soft}:`]);
  };
  return {
    folder,
    fill: (pid) => limit(pid, '0'),
    makeRoom: (pid) => limit(pid, 'unlimited'),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Long enough for every task to fail on the full disk. */
const fullMs = 1_000;
const refusedName = 'created on a full disk';
const disks = [
  { name: 'a full file system', disk: await openSmallDisk() },
  { name: 'a file size limit', disk: await openLimitedDisk() },
];
const services: ServiceProcess[] = [];
const start = async (folder: string) => {
  const environment = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    ...setOptions({ outboxScanAgeMs: 300 }),
  };
  const service = await startService('api', environment, mainsWithFailpoints.api);
  services.push(service);
  return service;
};

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await Promise.all(disks.map(({ disk }) => disk?.dispose()));
});

async function expectUnavailable(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503 });
}

// Concurrent, because both mostly wait.
test.concurrent.each(disks)(
  'on a full disk writes get 503 and reads work; it loses nothing and recovers: $name',
  async ({ disk, name }) => {
    if (disk === null) {
      console.log(`*** SKIPPED: this machine does not allow to simulate ${name} ***`);
      return;
    }
    let service = await start(disk.folder);
    const client = await signIn(service.url);
    const integration = await client.createIntegration('refused');
    const traffic = await openCheckedTraffic({ client, pods: () => [service] });
    await traffic.send();
    await traffic.waitForEvents();

    const sentBefore = traffic.send();
    await disk.fill(service.pid);
    let acceptedCreates = 0;
    const create = async () => {
      const answer = await client.createWidget({ name: refusedName });
      if (answer.status === 201) acceptedCreates += 1;
      return answer;
    };
    await eventually(async () => (await create()).status === 503, 'creates are refused');
    await expectUnavailable(await create());
    const hook = JSON.stringify({ kind: 'updated', occurredAt: new Date().toISOString() });
    const json = { 'content-type': 'application/json' };
    await expectUnavailable(await fetch(integration.url, { method: 'POST', headers: json, body: hook }));
    await expectUnavailable(
      await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers: json, body: JSON.stringify(testAdmin) }),
    );
    expect((await client.request('GET', '/api/v1/widgets')).status).toBe(200);
    // This traffic repeats its refused requests until the disk has room again.
    const sentWhileFull = traffic.send();
    await delay(fullMs);
    expect((await client.request('GET', '/api/v1/widgets')).status).toBe(200);

    // A restarted service has all accepted widgets and refuses writes, because the disk is still full.
    await service.stop('SIGKILL');
    service = await start(disk.folder);
    await disk.fill(service.pid);
    const clientAfterRestart = client.on(service.url);
    expect(await listNamesOrIds(clientAfterRestart)).toEqual(expect.arrayContaining([...traffic.widgetIds]));
    await expectUnavailable(await clientAfterRestart.createWidget({ name: refusedName }));
    await traffic.resume();
    await delay(fullMs);

    await disk.makeRoom(service.pid);
    await Promise.all([sentBefore, sentWhileFull]);
    await traffic.waitForEvents();
    await traffic.send();
    await traffic.waitForEvents();
    await traffic.check();
    const names = await listNamesOrIds(clientAfterRestart);
    expect(names.filter((name) => name === refusedName)).toHaveLength(acceptedCreates);
    traffic.close();
  },
);

/** Returns the name of each widget that this test created itself, and the id of each widget of the traffic. */
async function listNamesOrIds(client: ConsoleClient): Promise<string[]> {
  const answer = await client.request('GET', '/api/v1/widgets?pageSize=100');
  const { items } = (await answer.json()) as { items: { id: string; name: string }[] };
  return items.map(({ id, name }) => (name === refusedName ? name : id));
}
