import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';

let folder: string;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-first-'));
  service = await startService('api', { DATA_DIR: folder });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function expectAllFourOperations(shown: string): void {
  expect(shown).toMatch(/"items":\[\{/);
  expect(shown).toContain('HTTP/1.1 202 Accepted');
  expect(shown).toContain('event: stream.open');
  expect(shown).toContain('event: widget.created');
  expect(shown).toContain('event: widget.updated');
}

it('the lines printed at the first start can be pasted as they are, and show each of the four operations', async () => {
  await eventually(async () => service.output().includes('kill %1 ends it'), 'all lines are printed');
  const [, commands = ''] = service.output().split(/paste line by line or all at once:\n/);
  const [lines = ''] = commands.split('The stream goes on');
  expect(lines.match(/curl/g)?.length).toBeGreaterThan(5);
  expectAllFourOperations(await paste(`${lines}\nsleep 1\nkill %1\n`, folder));
});

it('the readme’s first minute works as pasted, with the printed password', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const password = service.output().match(/password {2}(\S+)/)?.[1];
  const lines = readme
    .match(/## The first minute[\s\S]*?```sh\n([\s\S]*?)```/)?.[1]
    ?.replace('http://127.0.0.1:8080', service.url)
    .replace('PASSWORD=...', `PASSWORD=${password}`);
  expectAllFourOperations(await paste(lines ?? '', folder));
});

/** What a shell shows for the pasted lines. */
function paste(text: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const shell = spawn('bash', ['-m'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let shown = '';
    shell.stdout.on('data', (data) => (shown += data));
    shell.stderr.on('data', (data) => (shown += data));
    shell.once('close', () => resolve(shown));
    shell.stdin.end(text);
  });
}
