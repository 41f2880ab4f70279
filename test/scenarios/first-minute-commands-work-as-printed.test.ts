import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const folder = await makeSharedFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService('api', { DATA_DIR: folder });
});
afterAll(() => service.stop('SIGKILL'));

function expectAllFourOperations(output: string): void {
  expect(output).toMatch(/"items":\[\{/);
  expect(output).toContain('HTTP/1.1 202 Accepted');
  expect(output).toContain('event: stream.open');
  expect(output).toContain('event: widget.created');
  expect(output).toContain('event: widget.updated');
}

test('the commands that the first start prints work when pasted, and use all four operations', async () => {
  await eventually(async () => service.output().includes('Close it with: kill %1'), 'all commands are printed');
  const [, commands = ''] = service.output().split(/one by one or all at once:\n/);
  const [lines = ''] = commands.split('The stream stays open');
  expect(lines.match(/curl/g)?.length).toBeGreaterThan(5);
  expectAllFourOperations(await paste(`${lines}\nsleep 1\nkill %1\n`, folder));
});

test('the commands of the readme’s first minute work when pasted with the printed password', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const password = service.output().match(/password {2}(\S+)/)?.[1];
  const lines = readme
    .match(/## The first minute[\s\S]*?```sh\n([\s\S]*?)```/)?.[1]
    ?.replace('http://127.0.0.1:8080', service.url)
    .replace('PASSWORD=...', `PASSWORD=${password}`);
  expectAllFourOperations(await paste(lines ?? '', folder));
});

/** Pastes the text into a shell. Resolves with everything that the shell printed. */
function paste(text: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const shell = spawn('bash', ['-m'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    shell.stdout.on('data', (data) => (output += data));
    shell.stderr.on('data', (data) => (output += data));
    shell.once('close', () => resolve(output));
    shell.stdin.end(text);
  });
}
