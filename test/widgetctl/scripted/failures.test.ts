import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Command } from 'widgetctl/command-line.ts';
import { commands } from 'widgetctl/commands.ts';
import { openAnsweringServer, type ReceivedRequest } from '../../drivers/tools/answering-server.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../../drivers/tools/widgetctl.ts';

let answer: (request: ReceivedRequest, response: ServerResponse) => unknown;
const folder = await makeSharedFolder();
const server = await openAnsweringServer((request, response) => answer(request, response));
const widgetctl = new Widgetctl({ folder, url: server.url });
const hookUrl = `${server.url}/api/v1/events/hooks/secret`;
beforeEach(() => {
  answer = (_request, response) => response.writeHead(202, { 'webhook-event-id': 'e1' }).end();
});
afterAll(() => server.close());

describe('what no retry can heal ends a command at once with 2', () => {
  test.each([
    ['a hook to a URL without a scheme', ['hooks', 'send', '--to', 'SERVER/api/v1/events/hooks/secret']],
    ['a hook to a URL of another scheme', ['hooks', 'send', '--to', 'ftp://SERVER/secret']],
    ['a hook by https to a port of http', ['hooks', 'send', '--to', 'https://SERVER/api/v1/events/hooks/secret']],
    ['hooks by https to a port of http', ['hooks', 'replay', '-', '--to', 'https://SERVER/api/v1/events/hooks/secret']],
    ['a signing secret that is none', ['hooks', 'send', '--to', 'http://SERVER/x', '--secret', 'whsec_ä!']],
    ['an id with a line break', ['hooks', 'send', '--to', 'http://SERVER/x', '--id', 'a\nb']],
    ['an id with spaces around it', ['hooks', 'send', '--to', 'http://SERVER/x', '--id', ' a ']],
    ['an empty id', ['hooks', 'send', '--to', 'http://SERVER/x', '--id', '']],
    ['a stream without a scheme', ['tail', '--stream', 'SERVER/api/v1/events/secret']],
    ['a stream by https to a port of http', ['tail', '--stream', 'https://SERVER/api/v1/events/secret']],
    ['the service without a scheme', ['whoami', '--url', 'SERVER']],
    ['the service by https to a port of http', ['whoami', '--url', 'https://SERVER']],
    ['the service with a password', ['whoami', '--url', 'http://user:secret@SERVER']],
    ['an idempotency key with a line break', ['widgets', 'create', 'x', '--idempotency-key', 'a\nb']],
  ])('%s', async (_name, args) => {
    const given = args.map((word) => word.replace('SERVER', server.url.slice('http://'.length)));
    const { code, results, notes } = await widgetctl.run(given, {}, '{"kind":"created"}\n'.repeat(100));
    expect([code, results], notes).toEqual([2, '']);
    expect(notes).not.toMatch(/again in|TypeError|[/:]secret|whsec_ä/);
    expect(notes.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  test('but an id of any language is sent, as its bytes', async () => {
    const sent = await widgetctl.run(['hooks', 'send', '--to', hookUrl, '--id', 'Zeile 7 – 中']);
    expect(sent.code).toBe(0);
    const header = String(server.requests.at(-1)?.headers['webhook-id']);
    expect(Buffer.from(header, 'latin1').toString('utf8')).toBe('Zeile 7 – 中');
  });
});

describe('a wait', () => {
  const refuse = (status: number, headers: object) => {
    let isFirst = true;
    answer = (request, response) => {
      const accept = () => response.writeHead(202, { 'webhook-event-id': 'e1' }).end();
      if (!isFirst || !request.path.includes('/hooks/')) return accept();
      isFirst = false;
      return response.writeHead(status, { ...headers }).end();
    };
  };

  test('says what it waits for, and for how long', async () => {
    refuse(503, { 'retry-after': '1' });
    const { code, notes } = await widgetctl.run(['hooks', 'send', '--to', hookUrl]);
    expect(code).toBe(0);
    expect(notes).toMatch(
      /^[^\n]*http:\/\/127\.0\.0\.1:\d+\/api\/v1\/events\/hooks\/…[^\n]* 503 [^\n]*Trying again in 1\.0 s\.\n$/,
    );
  });

  test('longer than a timer can hold is a wait, not a loop', async () => {
    refuse(503, { 'retry-after': '2592000' });
    const before = server.requests.length;
    const command = widgetctl.start(['hooks', 'send', '--to', hookUrl]);
    await eventually(async () => command.notes().includes('Trying again in'), 'it waits');
    command.kill('SIGINT');
    expect((await command.finished).code).toBe(130);
    expect(server.requests.length - before).toBe(1);
  });
});

/** The command with a value for each parameter, so a new command is tried, too. */
function fillIn({ name, parameters }: Command): string[] {
  const values: Record<string, string> = { FILE: '-' };
  return [...name.split(' '), ...parameters.map((parameter) => values[parameter] ?? 'x')];
}

function refuse(response: ServerResponse): void {
  const problem = { title: 'No', status: 404, detail: 'no', code: 'not-found', requestId: 'r' };
  response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
}

const asking = commands.filter(({ name }) => name !== 'completion');

describe('something else than the service', () => {
  const secrets = { WIDGETCTL_SOURCE_SECRETS: 'a secret', WIDGETCTL_NEW_PASSWORD: 'x' };
  const run = (command: Command) => {
    const options = command.name === 'login' ? ['--email', 'a@b.c'] : [];
    const environment = { WIDGETCTL_HOOK_URL: hookUrl, WIDGETCTL_PASSWORD: 'x', WIDGETCTL_TOKEN: 'wpt_x', ...secrets };
    return widgetctl.run([...fillIn(command), ...options], environment, '{"kind":"created"}');
  };

  test.each(asking)('that redirects is not followed, and never taken for success, with $name', async (command) => {
    answer = ({ path }, response) => {
      if (path === '/elsewhere')
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
      return response.writeHead(301, { location: '/elsewhere' }).end();
    };
    const { code, results, notes } = await run(command);
    expect(code, notes).toBe(/redrive|discard/.test(command.name) ? 1 : 2);
    expect(`${results}${notes}`).toContain('redirects to ');
    expect(server.requests.every(({ path }) => path !== '/elsewhere')).toBe(true);
  });

  test.each(
    asking.flatMap((command) => [
      { name: `a page, with ${command.name}`, command, type: 'text/html', body: '<html>Sign in</html>' },
      { name: `an object, with ${command.name}`, command, type: 'application/json', body: '{"ok":true}' },
    ]),
  )('that answers $name, is named in one sentence', async ({ command, type, body }) => {
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      // Only a stream waits for it to go away.
      if (command.name === 'tail' && asked > 1) return refuse(response);
      return response.writeHead(200, { 'content-type': type }).end(body);
    };
    const { code, results, notes } = await run(command);
    expect(code, notes).not.toBe(0);
    expect(`${results}${notes}`).toMatch(/something else answers at http:\/\/127\.0\.0\.1:\d+\/[^\n]*: 200 /);
    expect(`${results}${notes}`).not.toMatch(/TypeError|undefined|Cannot read|is not a function|\bat .*\.[jt]s:\d/);
  });
});
