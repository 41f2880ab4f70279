import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openAnsweringServer } from '../../drivers/tools/answering-server.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../../drivers/tools/widgetctl.ts';

const folder = await makeSharedFolder();
const server = await openAnsweringServer((_request, response) => {
  const problem = { title: 'No', status: 404, detail: 'no', code: 'not-found', requestId: 'r' };
  response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
});
const widgetctl = new Widgetctl({ folder, url: server.url });
afterAll(() => server.close());

async function writeSecret(secret: string | Buffer): Promise<string> {
  const file = join(folder, `secret-${Math.random()}`);
  await writeFile(file, secret);
  return file;
}

/** What a command needs a secret for, and where the secret is seen then. */
const uses: readonly (readonly [variable: string, args: string[], secret: string, header: string | null])[] = [
  ['WIDGETCTL_PASSWORD', ['login', '--email', 'a@b.c'], ' a pass word ', null],
  ['WIDGETCTL_TOKEN', ['widgets', 'create', 'x'], 'wpt_secret', 'authorization'],
  ['WIDGETCTL_HOOK_URL', ['hooks', 'send'], 'SERVER/api/v1/events/hooks/whk_secret', null],
  ['WIDGETCTL_STREAM_URL', ['tail'], 'SERVER/api/v1/events/wst_secret', null],
];

describe.each(uses)('the secret %s', (variable, args, given, header) => {
  const seen = () => {
    const request = server.requests.at(-1);
    return `${server.url}${request?.path} ${request?.body} ${request?.headers[header ?? '']}`;
  };

  test.each([
    ['a line', (secret: string) => `${secret}\n`],
    ['UTF-16 of Windows', (secret: string) => Buffer.from(`\ufeff${secret}\r\n`, 'utf16le')],
  ])('comes from a file with %s', async (_name, toContent) => {
    const secret = given.replace('SERVER', server.url);
    const { code, notes } = await widgetctl.run(args, { [`${variable}_FILE`]: await writeSecret(toContent(secret)) });
    expect(code, notes).toBe(4);
    expect(seen()).toContain(secret);
  });

  test('comes from the environment, and is in no message', async () => {
    const secret = given.replace('SERVER', server.url);
    const { code, results, notes } = await widgetctl.run(args, { [variable]: secret });
    expect(code).toBe(4);
    expect(seen()).toContain(secret);
    expect(`${results}${notes}`).not.toContain('secret');
    expect(notes).not.toContain('pass word');
  });

  test('is missing or not clear: the variable or the file is named', async () => {
    const file = await writeSecret('one\ntwo\n');
    const several = await widgetctl.run(args, { [`${variable}_FILE`]: file });
    expect(several).toMatchObject({ code: 2, notes: expect.stringContaining(`${file} has several lines`) });
    const both = await widgetctl.run(args, { [variable]: 'x', [`${variable}_FILE`]: file });
    expect(both).toMatchObject({ code: 2, notes: expect.stringContaining(`${variable}_FILE are both set`) });
    const missing = await widgetctl.run(args, { [`${variable}_FILE`]: join(folder, 'absent') });
    expect(missing.code).toBe(2);
    expect(missing.notes).toContain(`${join(folder, 'absent')} cannot be read: no such file or directory`);
  });
});

describe('an address without encryption', () => {
  // It is never found, so nothing is sent.
  const remote = 'http://widgets.invalid';

  test.each([
    ['the service', ['whoami'], { WIDGETCTL_URL: remote }],
    ['the sign-in', ['login', '--email', 'a@b.c'], { WIDGETCTL_URL: remote, WIDGETCTL_PASSWORD: 'x' }],
    ['a stream', ['tail'], { WIDGETCTL_STREAM_URL: `${remote}/api/v1/events/secret` }],
    ['a hook', ['hooks', 'send'], { WIDGETCTL_HOOK_URL: `${remote}/api/v1/events/hooks/secret` }],
  ])('of %s is said once', async (_name, args, environment) => {
    const command = widgetctl.start(args, environment);
    const timer = setInterval(() => command.notes().includes('again in') && command.kill('SIGINT'), 50);
    const { notes } = await command.finished;
    clearInterval(timer);
    expect(notes.match(/Warning: http:\/\/widgets\.invalid is not encrypted/g)).toHaveLength(1);
    expect(notes).not.toContain('secret');
  });

  test('is not said of this machine', async () => {
    for (const url of [server.url, server.url.replace('127.0.0.1', 'localhost')]) {
      const { notes } = await widgetctl.run(['whoami'], { WIDGETCTL_URL: url });
      expect(notes).not.toContain('Warning');
    }
  });
});
