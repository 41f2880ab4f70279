import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openAnsweringServer, type ReceivedRequest } from '../drivers/tools/answering-server.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { hasTerminal, runAtTerminal } from '../drivers/tools/terminal.ts';
import { type RunningCommand, Widgetctl, widgetctlSource } from '../drivers/tools/widgetctl.ts';
import { expectPrintable, hostile } from './hostile-server.ts';

const ctrlC = '\u0003';
const folder = await makeSharedFolder();
/** Accepts connections and answers nothing. */
const silent = await openAnsweringServer(() => undefined);
/** Always asks to come back later. */
const busy = await openAnsweringServer((_request, response) => response.writeHead(503, { 'retry-after': '8' }).end());
/** Asks to come back in a month. */
const later = await openAnsweringServer((_request, response) =>
  response.writeHead(503, { 'retry-after': '2592000' }).end(),
);
const accepting = await openAnsweringServer((_request, response) =>
  response.writeHead(202, { 'webhook-event-id': 'e1' }).end(),
);
/** Has a session, a list of one widget, and a stream without an end. */
const answering = await openAnsweringServer(({ path }: ReceivedRequest, response) => {
  if (path.startsWith('/stream')) return streamWithoutEnd(response);
  const widget = { id: hostile, name: hostile, state: hostile, version: 1, createdAt: hostile, labels: [] };
  const list = { items: [widget], page: 1, pageSize: 1, totalItems: 1, totalPages: 1, hasNext: false, asOf: hostile };
  const user = { id: 'u', email: 'a@b.c', role: 'admin', disabled: false, mustChangePassword: false };
  const session = { user, permissions: [], csrfToken: 'c', expiresAt: '2026-01-01T00:00:00Z' };
  const body = path.startsWith('/api/v1/widgets') ? list : session;
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

function streamWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const data = { widget: null, payload: { text: 'x'.repeat(1_000) }, origin: 'hook', late: false };
  const members = { specversion: '1.0', source: 's', time: '2026-01-01T00:00:00Z', subject: 'w', data };
  let id = 0;
  const format = () => `id: p${id}\ndata: ${JSON.stringify({ id: `e${id}`, ...members })}`;
  const write = () => {
    while (!response.destroyed && response.write(`event: widget.updated\n${format()}\n\n`)) id += 1;
  };
  response.on('drain', write);
  write();
}

if (!hasTerminal) console.warn('Skipped what needs a terminal: there is no python3 that makes one.');

describe.runIf(hasTerminal)('at a terminal', () => {
  const start = (url: string, ...args: string[]) =>
    runAtTerminal([process.execPath, widgetctlSource, ...args], { XDG_CONFIG_HOME: folder, WIDGETCTL_URL: url });

  test('Ctrl-C ends with 130 when it asks for the e-mail', async () => {
    const terminal = start(silent.url, 'login');
    await terminal.shown('E-mail: ');
    terminal.type(`someb${ctrlC}`);
    expect(await terminal.finished).toContain('[code 130, shows what is typed]');
  });

  test('Ctrl-C ends with 130 when it asks for the password, and the terminal shows again what is typed', async () => {
    const terminal = start(silent.url, 'login', '--email', 'a@b.c');
    await terminal.shown('Password: ');
    terminal.type(`my secr${ctrlC}`);
    const screen = await terminal.finished;
    expect(screen).toContain('[code 130, shows what is typed]');
    expect(screen).not.toContain('my secr');
  });

  test('Ctrl-C ends with 130 while the sign-in waits for an answer', async () => {
    const terminal = start(silent.url, 'login');
    await terminal.shown('E-mail: ');
    terminal.type('a@b.c\r');
    await terminal.shown('Password: ');
    terminal.type('my secret\r');
    await eventually(async () => silent.requests.some(({ body }) => body.includes('my secret')), 'it signs in');
    terminal.type(ctrlC);
    const screen = await terminal.finished;
    expect(screen).toContain('[code 130, shows what is typed]');
    expect(screen).not.toContain('my secret');
  });

  test('only the styles of widgetctl are there', async () => {
    const screen = await start(answering.url, 'widgets', 'list').finished;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    const withoutStyles = screen.replaceAll(/\u001b\[\d+m/g, '');
    expect(withoutStyles).not.toBe(screen);
    expect(withoutStyles).toContain('forged');
    expectPrintable(withoutStyles);
  });
});

test('only one file writes to the standard output and the standard error', async () => {
  const sources = fileURLToPath(new URL('../../apps/widgetctl/src/', import.meta.url));
  const writers: string[] = [];
  for (const file of await readdir(sources, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    if (/process\.std(out|err)|console\.|writeSync\((1|2)\b/.test(await readFile(join(sources, file), 'utf8')))
      writers.push(file);
  }
  // It gives both to the printer, which escapes what it prints.
  expect(writers).toEqual(['main.ts']);
});

describe.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s', (signal, code) => {
  test.each([
    ['tail while it waits for an answer', ['tail'], silent],
    ['hooks send while it waits to try again', ['hooks', 'send', '--to', `${busy.url}/api/v1/events/hooks/x`], busy],
  ])(`ends %s with ${code} at once`, async (_name, args, server) => {
    const before = server.requests.length;
    const command = new Widgetctl({ folder, url: server.url }).start(args);
    await eventually(async () => server.requests.length > before, 'the command is busy');
    await interrupt(command, signal, code);
  });

  test(`ends with ${code} at once a command that waits for a file`, async () => {
    const pipe = join(folder, `pipe-${signal}`);
    execFileSync('mkfifo', [pipe]);
    const command = new Widgetctl({ folder, url: silent.url }).start([
      'hooks',
      'replay',
      pipe,
      '--to',
      `${silent.url}/x`,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    command.kill(signal);
    const { code: exitCode } = await command.finished;
    // The shell says 130 or 143 also of a process that the signal has ended.
    expect([null, code]).toContain(exitCode);
  });
});

async function interrupt(command: RunningCommand, signal: NodeJS.Signals, code: number): Promise<void> {
  const elapsedMs = startStopwatch();
  command.kill(signal);
  expect((await command.finished).code).toBe(code);
  expect(elapsedMs()).toBeLessThan(5_000);
}

test('a wait longer than a timer can hold is a wait, not a loop', async () => {
  const command = new Widgetctl({ folder, url: later.url }).start(['hooks', 'send', '--to', `${later.url}/x`]);
  await eventually(async () => command.notes().includes('Trying again in'), 'it waits');
  await interrupt(command, 'SIGINT', 130);
  expect(later.requests).toHaveLength(1);
});

describe('a long file of hooks', () => {
  const hook = (payload: object) =>
    JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', widgetId: 'w', payload });
  const replay = (file: string, url: string) =>
    new Widgetctl({ folder, url }).start(['hooks', 'replay', file, '--to', `${url}/api/v1/events/hooks/x`]);

  test('is sent from its beginning at once, and Ctrl-C ends it at once', async () => {
    const file = join(folder, 'many.jsonl');
    await writeFile(file, `${Array.from({ length: 50_000 }, (_, index) => hook({ index })).join('\n')}\n`);
    const command = replay(file, accepting.url);
    // With the start of the process, on a busy machine. Reading the whole file first took longer than half a minute.
    await eventually(async () => accepting.requests.length > 0, 'the first hook is sent');
    await eventually(async () => accepting.requests.length > 100, 'the others follow');
    await interrupt(command, 'SIGINT', 130);
    // One after the other, in the order of the file.
    const sent = accepting.requests.map(({ body }) => JSON.parse(body).payload.index);
    expect(sent).toEqual(sent.map((_, index) => index));
  });

  test.runIf(process.platform === 'linux')('is never in memory as a whole', async () => {
    const file = join(folder, 'large.jsonl');
    const block = `${hook({ text: 'x'.repeat(10_000) })}\n`.repeat(1_000);
    for (let written = 0; written < 300 * 1024 * 1024; written += block.length) appendFileSync(file, block);
    const before = silent.requests.length;
    const running = replay(file, silent.url);
    await eventually(async () => silent.requests.length > before, 'the first hook is sent');
    const peakKb = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]);
    running.kill('SIGINT');
    await running.finished;
    expect(peakKb).toBeLessThan(250 * 1024);
  });
});

test.each([
  // It is never found, so nothing is sent.
  ['the service', ['whoami'], { WIDGETCTL_URL: 'http://widgets.invalid' }],
  ['the sign-in', ['login', '--email', 'a@b.c'], { WIDGETCTL_URL: 'http://widgets.invalid', WIDGETCTL_PASSWORD: 'x' }],
  ['a stream', ['tail'], { WIDGETCTL_STREAM_URL: 'http://widgets.invalid/api/v1/events/secret' }],
  ['a hook', ['hooks', 'send'], { WIDGETCTL_HOOK_URL: 'http://widgets.invalid/api/v1/events/hooks/secret' }],
])('an address of %s without encryption is said once', async (_name, args, environment) => {
  const command = new Widgetctl({ folder, url: silent.url }).start(args, environment);
  const timer = setInterval(() => command.notes().includes('again in') && command.kill('SIGINT'), 50);
  const { notes } = await command.finished;
  clearInterval(timer);
  expect(notes.match(/Warning: http:\/\/widgets\.invalid is not encrypted/g)).toHaveLength(1);
  expect(notes).not.toContain('secret');
});

test('a session is never kept where the command runs', async () => {
  const workingFolder = join(folder, 'work');
  await mkdir(workingFolder);
  const there = new Widgetctl({ folder, url: answering.url, workingFolder });
  const environment = { XDG_CONFIG_HOME: 'relative', HOME: './relative', WIDGETCTL_PASSWORD: 'x' };
  expect((await there.start(['login', '--email', 'a@b.c'], environment).finished).code).toBe(2);
  expect(await readdir(workingFolder)).toEqual([]);
});

describe('the standard output', () => {
  const runInShell = (script: string) => {
    const urls = { WIDGETCTL_STREAM_URL: `${answering.url}/stream`, WIDGETCTL_URL: answering.url };
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
