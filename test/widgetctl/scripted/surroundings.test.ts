import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnsweringServer, openAnsweringServer } from '../../drivers/tools/answering-server.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { Widgetctl, widgetctlSource } from '../../drivers/tools/widgetctl.ts';

const folder = await makeSharedFolder();
let server: AnsweringServer;
let widgetctl: Widgetctl;
beforeAll(async () => {
  server = await openAnsweringServer(({ method, path }, response) => {
    if (path.startsWith('/hook')) return response.writeHead(202, { 'webhook-event-id': 'e1' }).end();
    if (path.startsWith('/stream')) return streamWithoutEnd(response);
    const user = { id: 'u', email: 'a@b.c', name: null, role: 'admin', disabled: false, mustChangePassword: false };
    const dates = { identity: null, createdAt: '2026-01-01T00:00:00Z', lastSignInAt: null };
    const session = { user: { ...user, ...dates }, permissions: [], csrfToken: 'c', expiresAt: dates.createdAt };
    const cookie = method === 'POST' ? { 'set-cookie': 'service_console=s1; Path=/' } : {};
    const headers = { 'content-type': 'application/json', ...cookie };
    return response.writeHead(200, headers).end(JSON.stringify(session));
  });
  widgetctl = new Widgetctl({ folder, url: server.url });
});
afterAll(() => server.close());

function streamWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const members = {
    specversion: '1.0',
    type: 'widget.updated',
    source: 's',
    time: '2026-01-01T00:00:00Z',
    subject: 'w',
  };
  const data = { widget: null, payload: { text: 'x'.repeat(1_000) }, origin: 'hook', late: false };
  let id = 0;
  const format = () => `data: ${JSON.stringify({ ...members, id: `e${id}`, data })}`;
  const write = () => {
    while (!response.destroyed && response.write(`event: widget.updated\nid: p${id}\n${format()}\n\n`)) id += 1;
  };
  response.on('drain', write);
  write();
}

const send = ['hooks', 'send', '--payload', '{"a":1}'];
const login = ['login', '--email', 'a@b.c'];

describe('what a command does not need', () => {
  test.each([
    ['a home', { XDG_CONFIG_HOME: '', HOME: '' }],
    ['an absolute home', { XDG_CONFIG_HOME: 'relative', HOME: 'relative' }],
    ['a folder for its session', { XDG_CONFIG_HOME: '/dev/null' }],
    ['the address of the service', { WIDGETCTL_URL: 'no address' }],
    ['a readable token', { WIDGETCTL_TOKEN_FILE: '/absent' }],
    ['a kind of terminal', { TERM: '' }],
  ])('does not stop it: %s', async (_name, environment) => {
    const given = { WIDGETCTL_HOOK_URL: `${server.url}/hook`, ...environment };
    expect(await widgetctl.run(send, given)).toMatchObject({ code: 0, notes: '' });
    expect((await widgetctl.run(['completion', 'bash'], environment)).code).toBe(0);
    expect((await widgetctl.run(['--version'], environment)).code).toBe(0);
  });

  test('is the session file, where a provision token is there', async () => {
    const environment = { XDG_CONFIG_HOME: '', HOME: '', WIDGETCTL_URL: server.url };
    expect((await widgetctl.run(['whoami'], environment)).code).toBe(0);
  });
});

describe('a session', () => {
  test.each([
    ['no home', { XDG_CONFIG_HOME: '', HOME: '' }],
    ['a relative home', { XDG_CONFIG_HOME: '', HOME: 'relative' }],
    ['only relative folders', { XDG_CONFIG_HOME: 'relative', HOME: './relative' }],
  ])('cannot be kept with %s: login says so before it asks', async (_name, environment) => {
    const asked = server.requests.length;
    const { code, notes } = await widgetctl.run(login, { WIDGETCTL_PASSWORD: 'x', ...environment });
    expect(code).toBe(2);
    expect(notes).toContain('There is no home directory. Set XDG_CONFIG_HOME');
    expect(server.requests.length).toBe(asked);
  });

  test('is never kept where the command runs', async () => {
    const workingFolder = join(folder, 'work');
    await mkdir(workingFolder);
    const there = new Widgetctl({ folder, url: server.url, workingFolder });
    const environment = { XDG_CONFIG_HOME: 'relative', HOME: './relative', WIDGETCTL_PASSWORD: 'x' };
    expect((await there.start(login, environment).finished).code).toBe(2);
    expect(await readdir(workingFolder)).toEqual([]);
  });

  test('is kept below HOME where XDG_CONFIG_HOME is relative', async () => {
    const environment = { XDG_CONFIG_HOME: 'relative', HOME: join(folder, 'home'), WIDGETCTL_PASSWORD: 'x' };
    expect((await widgetctl.run(login, environment)).code).toBe(0);
    const file = join(folder, 'home', '.config', 'widgetctl', 'sessions.json');
    expect(await readFile(file, 'utf8')).toContain('service_console=s1');
  });

  test('that cannot be written is said, and login fails', async () => {
    const { code, notes } = await widgetctl.run(login, { WIDGETCTL_PASSWORD: 'x', XDG_CONFIG_HOME: '/dev/null' });
    expect(code).toBe(1);
    expect(notes).toContain('The session cannot be kept in /dev/null/widgetctl/sessions.json: not a directory');
  });

  test.each([
    ['as Windows writes it', (json: string) => Buffer.from(`\ufeff${json}\r\n`, 'utf16le'), 'service_console=s1', ''],
    ['damaged', (json: string) => json.slice(0, -5), undefined, 'sessions.json is not a JSON object'],
    ['in no encoding', () => Buffer.from('{\n"ä', 'latin1'), undefined, 'sessions.json, line 2: it is not UTF-8'],
  ])('file that is %s is read, or named', async (_name, toContent, cookie, note) => {
    const file = join(folder, 'given', 'widgetctl', 'sessions.json');
    await mkdir(join(folder, 'given', 'widgetctl'), { recursive: true });
    await writeFile(file, toContent(JSON.stringify({ [server.url]: 'service_console=s1' }, null, 2)));
    const { code, notes } = await widgetctl.run(['whoami'], { XDG_CONFIG_HOME: join(folder, 'given') });
    expect(code).toBe(0);
    expect(server.requests.at(-1)?.headers.cookie).toBe(cookie);
    expect(notes).toContain(note);
  });
});

describe('the standard output', () => {
  const runInShell = (script: string) => {
    const urls = { WIDGETCTL_STREAM_URL: `${server.url}/stream`, WIDGETCTL_URL: server.url };
    const options = { env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, ...urls } };
    const setUp = `set -o pipefail; widgetctl() { '${process.execPath}' '${widgetctlSource}' "$@"; }`;
    return promisify(execFile)('bash', ['--norc', '-c', `${setUp}; ${script}`], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
    );
  };

  test('may be closed by whoever reads it: tail ends in silence', async () => {
    const { code, stdout, stderr } = await runInShell('widgetctl tail --json | head -n 1');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).id).toBe('e0');
  });

  test('may be closed from the start', async () => {
    expect(await runInShell('widgetctl whoami >&-')).toMatchObject({ code: 0, stderr: '' });
    expect((await runInShell('widgetctl whoami 2>&- <&-')).code).toBe(0);
  });

  test('that is full is named', async () => {
    const { code, stderr } = await runInShell('widgetctl whoami > /dev/full');
    expect(code).toBe(1);
    expect(stderr).toContain('The results cannot be written: ');
  });

  test('of a slow reader gets everything', async () => {
    const { code, stdout } = await runInShell('widgetctl tail --json --limit 2000 | (sleep 2; wc -l)');
    expect([code, stdout.trim()]).toEqual([0, '2000']);
  });
});
