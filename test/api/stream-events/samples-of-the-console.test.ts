import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readStreamUrl, streamSamples } from '@widget-service/console/stream-samples.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const shared = await makeSharedFolder();
const running: ChildProcess[] = [];
afterAll(() => {
  // Each shell leads a group of its own, with the sample that it started.
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid);
});

interface Way {
  /** A command that succeeds if the program is on this machine. */
  readonly needs?: string;
  /** The file with the sample. Without one, the shell runs it. */
  readonly file?: string;
  readonly command?: string;
}

const ways: Readonly<Record<string, Way>> = {
  curl: { needs: 'curl --version' },
  Python: { needs: 'python3 --version', file: 'stream.py', command: 'python3 stream.py' },
  Go: { needs: 'go version', file: 'stream.go', command: 'go run stream.go' },
};
const runnable = Object.entries(ways).filter(
  ([, { needs }]) => needs === undefined || spawnSync('bash', ['-c', needs]).status === 0,
);

/** Starts a sample in a shell that asks for the URL as the console says. Returns what it has printed so far. */
async function startSample(code: string, { file, command = code }: Way, url: string): Promise<() => string> {
  const folder = await mkdtemp(join(shared, 'sample-'));
  if (file !== undefined) await writeFile(join(folder, file), code);
  const script = `${readStreamUrl}\n${command}\n`;
  const shell = spawn('bash', ['-c', script], { cwd: folder, detached: true });
  running.push(shell);
  shell.stdin.end(`${url}\n`);
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (data: Buffer) => (output += data));
  return () => output;
}

describe('the samples of the console', () => {
  test('exist for each language, without a URL', () => {
    expect(Object.keys(streamSamples)).toEqual(['Browser', ...Object.keys(ways)]);
    for (const code of Object.values(streamSamples)) expect(code).not.toMatch(/https?:/);
  });

  test('follow a stream, and go on with the next event after it was closed', async () => {
    const admin = await signIn(service.url);
    const readers: (readonly [name: string, connectionsPath: string, read: () => string])[] = [];
    for (const [name, way] of runnable) {
      const { id, url } = await admin.createSubscription(name);
      const read = await startSample(streamSamples[name] ?? '', way, service.url + new URL(url).pathname);
      readers.push([name, `/api/v1/subscriptions/${id}/connections`, read]);
    }
    const listOpen = async (path: string) =>
      ((await (await admin.request('GET', path)).json()) as { items: readonly { id: string }[] }).items;
    for (const [name, path, read] of readers) {
      await eventually(async () => (await listOpen(path)).length === 1, `${name} connects: ${read()}`, 60_000);
    }
    await admin.createWidget({ name: 'the first lamp' });
    for (const [name, , read] of readers) {
      await eventually(async () => /created.*the first lamp/.test(read()), `${name} prints it: ${read()}`);
    }
    const resuming = readers.filter(([name]) => name !== 'curl');
    for (const [, path] of resuming) {
      for (const { id } of await listOpen(path)) await admin.request('DELETE', `${path}/${id}`);
    }
    await admin.createWidget({ name: 'the second lamp' });
    for (const [name, , read] of resuming) {
      await eventually(async () => /created.*the second lamp/.test(read()), `${name} resumes: ${read()}`);
      expect(read().match(/the first lamp/g)?.length, name).toBe(1);
    }
  }, 120_000);
});
