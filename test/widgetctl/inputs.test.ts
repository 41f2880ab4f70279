import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAnsweringServer, type ReceivedRequest } from '../drivers/tools/answering-server.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';

const folder = await makeSharedFolder();
/** Accepts hooks, sends an event at once, refuses a secret, and knows a session. */
const server = await openAnsweringServer(answerRequest);
const widgetctl = new Widgetctl({ folder, url: server.url });
const hookUrl = `${server.url}/api/v1/events/hooks/x`;
const streamUrl = `${server.url}/api/v1/events/x`;
/** So many answers are a 503 before anything else. */
let outages = 0;

function answerRequest({ method, path, body }: ReceivedRequest, response: ServerResponse): unknown {
  if (outages > 0) {
    outages -= 1;
    return response.writeHead(503, { 'retry-after': '1' }).end();
  }
  if (/secret/.test(path) || /pass word|wpt_/.test(body)) return refuse(response);
  if (path.startsWith('/api/v1/widgets')) return refuse(response);
  if (path.includes('/hooks/')) return response.writeHead(202, { 'webhook-event-id': 'e1' }).end();
  if (path.includes('/events/')) return sendEvent(response);
  const user = { id: 'u', email: 'a@b.c', name: null, role: 'admin', disabled: false, mustChangePassword: false };
  const session = { user, permissions: [], csrfToken: 'c', expiresAt: '2026-01-01T00:00:00Z' };
  const cookie = method === 'POST' ? { 'set-cookie': 'service_console=s1; Path=/' } : {};
  return response.writeHead(200, { 'content-type': 'application/json', ...cookie }).end(JSON.stringify(session));
}

function refuse(response: ServerResponse): void {
  const problem = { title: 'No', status: 404, detail: 'no', code: 'not-found', requestId: 'r' };
  response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
}

function sendEvent(response: ServerResponse): void {
  const data = { widget: null, payload: null, origin: 'hook', late: false };
  const event = { specversion: '1.0', id: 'e1', source: 's', type: 'widget.updated', time: '', subject: 'w', data };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: widget.updated\nid: p2\ndata: ${JSON.stringify(event)}\n\n`);
}

async function write(content: string | Buffer): Promise<string> {
  const file = join(folder, `file-${Math.random()}`);
  await writeFile(file, content);
  return file;
}

describe('what no retry can heal ends a command at once with 2', () => {
  test.each([
    ['a hook to a URL without a scheme', ['hooks', 'send', '--to', 'SERVER/api/v1/events/hooks/secret']],
    ['hooks by https to a port of http', ['hooks', 'replay', '-', '--to', 'https://SERVER/api/v1/events/hooks/secret']],
    ['a signing secret that is none', ['hooks', 'send', '--to', 'http://SERVER/x', '--secret', 'whsec_ä!']],
    ['an empty id', ['hooks', 'send', '--to', 'http://SERVER/x', '--id', '']],
    ['a stream without a scheme', ['tail', '--stream', 'SERVER/api/v1/events/secret']],
    ['the service by https to a port of http', ['whoami', '--url', 'https://SERVER']],
    ['the service with a password', ['whoami', '--url', 'http://user:secret@SERVER']],
    ['the service with a query', ['whoami', '--url', 'http://SERVER?key=/secret']],
    ['an idempotency key with a line break', ['widgets', 'create', 'x', '--idempotency-key', 'a\nb']],
  ])('%s', async (_name, args) => {
    const given = args.map((word) => word.replace('SERVER', server.url.slice('http://'.length)));
    const { code, results, notes } = await widgetctl.run(given, {}, '{"kind":"created"}\n'.repeat(100));
    expect([code, results], notes).toEqual([2, '']);
    expect(notes).not.toMatch(/again in|TypeError|[/:]secret|whsec_ä/);
    if (args.includes('--url')) expect(notes).toContain('--url or WIDGETCTL_URL');
    expect(notes.trim().split('\n').length).toBeLessThanOrEqual(2);
  });
});

test('a wait says what it waits for, and for how long', async () => {
  outages = 1;
  const { code, notes } = await widgetctl.run(['hooks', 'send', '--to', hookUrl]);
  expect(code).toBe(0);
  expect(notes).toMatch(
    /^[^\n]*http:\/\/127\.0\.0\.1:\d+\/api\/v1\/events\/hooks\/…[^\n]* 503 [^\n]*Trying again in 1\.0 s\.\n$/,
  );
});

test('a payload in a file that cannot be read is named, and nothing is sent', async () => {
  const before = server.requests.length;
  for (const [file, reason] of [
    [join(folder, 'absent'), 'no such file or directory'],
    [folder, 'illegal operation on a directory'],
  ] as const) {
    const notes = expect.stringContaining(`${file} cannot be read: ${reason}`);
    expect(await widgetctl.run(['hooks', 'send', '--payload', `@${file}`, '--to', hookUrl])).toMatchObject({
      code: 2,
      notes,
    });
  }
  expect(server.requests.length).toBe(before);
});

describe('a position file', () => {
  const tail = (file: string) => widgetctl.run(['tail', '--limit', '1', '--stream', streamUrl, '--position', file]);

  test('that is a symbolic link keeps being one, and is read as Windows writes it', async () => {
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    await writeFile(target, Buffer.from('\ufeffp1\r\n', 'utf16le'));
    await symlink('target', link);
    expect((await tail(link)).code).toBe(0);
    expect(server.requests.at(-1)?.path).toContain('lastEventId=p1');
    expect([readlinkSync(link), readFileSync(target, 'utf8')]).toEqual(['target', 'p2\n']);
  });

  test.each([
    ['two words', 'p1 p2\n'],
    ['no text', Buffer.from('p1\n\xff\xfe', 'latin1')],
  ])('with %s is named, and nothing is read', async (_name, content) => {
    const [file, before] = [await write(content), server.requests.length];
    expect(await tail(file)).toMatchObject({ code: 2, notes: expect.stringContaining(`${file}, line `) });
    expect(server.requests.length).toBe(before);
  });
});

/** What a command needs a secret for, and where the secret is seen then. */
const uses: readonly (readonly [variable: string, args: string[], secret: string, header: string | null])[] = [
  ['WIDGETCTL_PASSWORD', ['login', '--email', 'a@b.c'], ' a pass word ', null],
  ['WIDGETCTL_TOKEN', ['widgets', 'create', 'x'], 'wpt_secret', 'authorization'],
  ['WIDGETCTL_HOOK_URL', ['hooks', 'send'], `${server.url}/api/v1/events/hooks/whk_secret`, null],
  ['WIDGETCTL_STREAM_URL', ['tail'], `${server.url}/api/v1/events/wst_secret`, null],
];

describe.each(uses)('the secret %s', (variable, args, secret, header) => {
  const seen = () => {
    const request = server.requests.at(-1);
    return `${server.url}${request?.path} ${request?.body} ${request?.headers[header ?? '']}`;
  };

  test('comes from a file with a line', async () => {
    const { code, notes } = await widgetctl.run(args, {
      [`${variable}_FILE`]: await write(Buffer.from(`\ufeff${secret}\r\n`, 'utf16le')),
    });
    expect(code, notes).toBe(4);
    expect(seen()).toContain(secret);
  });

  test('comes from the environment, and is in no message', async () => {
    const { code, results, notes } = await widgetctl.run(args, { [variable]: secret });
    expect(code).toBe(4);
    expect(seen()).toContain(secret);
    expect(`${results}${notes}`).not.toMatch(/secret|pass word/);
    // Nothing that is sent leaves this machine.
    expect(notes).not.toContain('Warning');
  });

  test('is missing or not clear: the variable or the file is named', async () => {
    const [file, absent] = [await write('one\ntwo\n'), join(folder, 'absent')];
    for (const [environment, message] of [
      [{ [`${variable}_FILE`]: file }, `${file} has several lines`],
      [{ [variable]: 'x', [`${variable}_FILE`]: file }, `${variable}_FILE are both set`],
      [{ [`${variable}_FILE`]: absent }, `${absent} cannot be read: no such file or directory`],
    ] as const) {
      const notes = expect.stringContaining(message);
      expect(await widgetctl.run(args, environment)).toMatchObject({ code: 2, notes });
    }
  });
});

test('an address of this machine needs no encryption', async () => {
  for (const url of [server.url, server.url.replace('127.0.0.1', 'localhost')]) {
    const { notes } = await widgetctl.run(['whoami'], { WIDGETCTL_URL: url });
    expect(notes).not.toContain('Warning');
  }
});

describe('what a command does not need', () => {
  test.each([
    ['a home', { XDG_CONFIG_HOME: '', HOME: '' }],
    ['an absolute home', { XDG_CONFIG_HOME: 'relative', HOME: 'relative' }],
    ['a folder for its session', { XDG_CONFIG_HOME: '/dev/null' }],
    ['the address of the service', { WIDGETCTL_URL: 'no address' }],
    ['a readable token', { WIDGETCTL_TOKEN_FILE: '/absent' }],
    ['a kind of terminal', { TERM: '' }],
  ])('does not stop it: %s', async (_name, environment) => {
    const sent = await widgetctl.run(['hooks', 'send', '--payload', '{"a":1}', '--to', hookUrl], environment);
    expect(sent).toMatchObject({ code: 0, notes: '' });
    expect((await widgetctl.run(['completion', 'bash'], environment)).code).toBe(0);
    expect((await widgetctl.run(['--version'], environment)).code).toBe(0);
  });

  test('is a home, where a session is there without one', async () => {
    expect((await widgetctl.run(['whoami'], { XDG_CONFIG_HOME: '', HOME: '' })).code).toBe(0);
  });
});

describe('a session', () => {
  const login = (environment: Readonly<Record<string, string>>) =>
    widgetctl.run(['login', '--email', 'a@b.c'], { WIDGETCTL_PASSWORD: 'x', ...environment });

  test.each([
    ['no home', { XDG_CONFIG_HOME: '', HOME: '' }],
    ['a relative home', { XDG_CONFIG_HOME: '', HOME: 'relative' }],
    ['only relative folders', { XDG_CONFIG_HOME: 'relative', HOME: './relative' }],
  ])('cannot be kept with %s: login says so before it asks', async (_name, environment) => {
    const asked = server.requests.length;
    const notes = expect.stringContaining('There is no home directory. Set XDG_CONFIG_HOME');
    expect(await login(environment)).toMatchObject({ code: 2, notes });
    expect(server.requests.length).toBe(asked);
  });

  test('is kept below HOME where XDG_CONFIG_HOME is relative', async () => {
    expect((await login({ XDG_CONFIG_HOME: 'relative', HOME: join(folder, 'home') })).code).toBe(0);
    const file = join(folder, 'home', '.config', 'widgetctl', 'sessions.json');
    expect(await readFile(file, 'utf8')).toContain('service_console=s1');
  });

  test('that cannot be written is said, and login fails', async () => {
    const message = 'The session cannot be kept in /dev/null/widgetctl/sessions.json: not a directory';
    const notes = expect.stringContaining(message);
    expect(await login({ XDG_CONFIG_HOME: '/dev/null' })).toMatchObject({ code: 1, notes });
  });

  test.each([
    ['damaged', (json: string) => json.slice(0, -5), 'sessions.json is not a JSON object'],
    ['in no encoding', () => Buffer.from('{\n"ä', 'latin1'), 'sessions.json, line 2: it is not UTF-8'],
  ])('file that is %s is named, and no session is sent', async (_name, toContent, note) => {
    await mkdir(join(folder, 'given', 'widgetctl'), { recursive: true });
    const sessions = JSON.stringify({ [server.url]: 'service_console=s1' }, null, 2);
    await writeFile(join(folder, 'given', 'widgetctl', 'sessions.json'), toContent(sessions));
    const { code, notes } = await widgetctl.run(['whoami'], { XDG_CONFIG_HOME: join(folder, 'given') });
    expect(code).toBe(0);
    expect(server.requests.at(-1)?.headers.cookie).toBeUndefined();
    expect(notes).toContain(note);
  });
});
