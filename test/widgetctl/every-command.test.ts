import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from 'widgetctl/commands.ts';
import { aDelivery, aQuarantinedText } from '../drivers/app/builders.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { fetchOpenApiDocument } from '../drivers/app/openapi-document.ts';
import { openAnsweringServer, type ReceivedRequest } from '../drivers/tools/answering-server.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';
import { answerHostile, expectPrintable, hostile } from './hostile-server.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
const login = { WIDGETCTL_PASSWORD: testAdmin.password };
const newPassword = { WIDGETCTL_NEW_PASSWORD: 'another long password' };
const secrets = { WIDGETCTL_SOURCE_SECRETS: 'what the sender was given' };
const mapping = join(folder, 'mapping.json');
const request = join(folder, 'request.json');
const hooks = join(folder, 'hooks.jsonl');

/** What the examples below name. */
const things: Record<string, string> = { mapping, request, hooks };

beforeAll(async () => {
  await writeFile(mapping, JSON.stringify({ kind: { value: 'created' } }));
  await writeFile(request, '{}');
  await writeFile(hooks, '{"kind":"created","occurredAt":"2026-01-01T00:00:00Z"}');
  await widgetctl.run(['login', '--email', testAdmin.email], login);
  const create = async (what: string, name: string, ...options: string[]) => {
    const [made] = await widgetctl.read<{ id: string; url?: string }>(what, 'create', name, ...options);
    Object.assign(things, { [name]: made?.id ?? '', [`${name}Url`]: made?.url ?? '' });
  };
  await create('widgets', 'widget', '--label', 'hall');
  await create('integrations', 'integration');
  await create('subscriptions', 'subscription');
  await create('tokens', 'token');
  const options = ['--preset', 'github', '--mapping', mapping, '--json'];
  const source = await widgetctl.run(['integrations', 'create', 'source', ...options], secrets);
  things.source = JSON.parse(source.results).id;
  const user = await widgetctl.run(['users', 'create', 'a@example.com', '--json'], newPassword);
  things.user = JSON.parse(user.results).id;
  const { ledger, quarantine } = service.backend;
  const [integrationId, widgetId] = [things.integration ?? '', things.widget ?? ''];
  for (const name of ['dead', 'useless']) {
    const delivery = aDelivery({ integrationId, widgetId });
    await ledger.markDead(delivery, 'store-refused');
    things[name] = delivery.eventId;
  }
  const text = aQuarantinedText();
  await quarantine.insert(text);
  things.text = text.id;
});

type Environment = Readonly<Record<string, string>>;

/** The words after each command, what it prints then, and its secrets. In this order: the last ones end things. */
const examples: Readonly<Record<string, readonly [words: string, printed: string, environment?: () => Environment]>> = {
  login: [`--email ${testAdmin.email}`, 'Signed in at http', () => login],
  whoami: ['', 'Service '],
  'widgets list': ['--state active --limit 3', 'ID STATE VERSION CREATED NAME LABELS'],
  'widgets create': ['lamp --label hall', ' lamp (active, version 1)'],
  'widgets get': ['{widget}', 'Id Name State Version Labels Owner Created Changed Last event Retired'],
  'widgets history': ['{widget}', 'VERSION KIND STATE AFTER LATE OCCURRED DELIVERY INTEGRATION EVENT'],
  tail: ['--from earliest --limit 1', ' created '],
  'hooks send': [
    '--widget {widget}',
    'Accepted as event ',
    () => ({ WIDGETCTL_HOOK_URL: things.integrationUrl ?? '' }),
  ],
  'hooks replay': ['{hooks}', 'accepted as event ', () => ({ WIDGETCTL_HOOK_URL: things.integrationUrl ?? '' })],
  'deliveries list': ['{integration} --state dead', 'EVENT STATE KIND RECEIVED WIDGET ATTEMPTS DUPLICATES REASON'],
  'deliveries get': [
    '{integration} {dead}',
    'Event State Reason Kind Widget Occurred Received Published Effect Position Attempts Duplicates Payload',
  ],
  'deliveries redrive': ['{integration} {dead}', '{dead}: accepted'],
  'deliveries discard': ['{integration} {useless}', '{useless}: discarded'],
  'quarantine list': ['', 'ID QUARANTINED REASON INTEGRATION BYTES'],
  'quarantine get': ['{text}', 'Id Quarantined Reason Job Integration Text'],
  'quarantine discard': ['{text}', '{text}: discarded'],
  ...Object.fromEntries(
    ['subscription', 'integration', 'token'].flatMap((kind) => [
      [`${kind}s list`, ['', 'ID NAME CREATED EXPIRES LAST USED']],
      [`${kind}s create`, ['one', kind === 'token' ? 'Id Name Token' : 'Id Name URL']],
      [`${kind}s rotate`, [`{${kind}} --overlap 60`, kind === 'token' ? 'Id Name Token' : 'Id Name URL']],
      [`${kind}s end-previous`, [`{${kind}}`, 'Ended.']],
      [`${kind}s revoke`, [`{${kind}}`, 'Revoked.']],
    ]),
  ),
  'integrations preview': ['{request} {source}', 'Outcome Signature '],
  'integrations map': ['{source} {mapping}', 'Mapped: '],
  'integrations secrets': ['{source}', 'Replaced: ', () => secrets],
  'samples list': ['{source}', 'none'],
  'samples keep': ['{source}', 'Kept until '],
  'samples delete': ['{source}', 'Deleted.'],
  'users list': ['', 'ID EMAIL ROLE STATE CREATED'],
  'users create': ['b@example.com --role editor', 'Created b@example.com (editor), id ', () => newPassword],
  'users disable': ['{user}', 'Disabled.'],
  completion: ['bash', '_widgetctl() {'],
  password: ['', 'Changed.', () => ({ ...login, ...newPassword })],
  logout: ['', 'Signed out.'],
};

const fillIn = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => things[name] ?? '');
const split = (text: string) => text.split(' ').filter((word) => word !== '');

test('there is an example of each command, and the overview has them all', async () => {
  expect(Object.keys(examples).sort()).toEqual(commands.map(({ name }) => name).sort());
  const { code, results } = await widgetctl.run([]);
  expect(code).toBe(0);
  for (const { name, summary } of commands) expect(results).toMatch(new RegExp(`\n  ${name} .*${summary.slice(0, 9)}`));
});

describe.each(commands)('$name', ({ name, parameters, options, summary }) => {
  const words = name.split(' ');

  test('shows its help', async () => {
    const { code, results } = await widgetctl.run([...words, '--help']);
    expect(code).toBe(0);
    for (const text of [summary, ...Object.keys(options).map((option) => `--${option}`)])
      expect(results).toContain(text);
  });

  test('names a missing argument, and an option that it does not have', async () => {
    for (const [index, parameter] of parameters.entries()) {
      if (parameter.endsWith('?')) continue;
      const { code, notes } = await widgetctl.run([...words, ...parameters.slice(0, index)]);
      expect([code, notes]).toEqual([2, expect.stringContaining(`${parameter.replace('…', '')} is missing.`)]);
    }
    const { code, notes } = await widgetctl.run([...words, ...parameters, '--wrong']);
    expect([code, notes]).toEqual([2, expect.stringContaining("'--wrong'")]);
  });
});

const asking = commands.filter(({ name }) => name !== 'completion');
/** Each of their requests may be refused. With --json, their results say so. */
const repeated = /^hooks replay|redrive|discard/;

/** Runs the example of a command with another server. */
function runWith(url: string, name: string, ...options: string[]) {
  const [words, , environment] = examples[name] ?? [''];
  const given = { ...secrets, ...newPassword, ...environment?.(), WIDGETCTL_PASSWORD: 'wrong' };
  const stranger = new Widgetctl({ folder: join(folder, 'stranger'), url });
  const hookUrl = { WIDGETCTL_HOOK_URL: `${url}/api/v1/events/hooks/none` };
  return stranger.run([...split(name), ...split(fillIn(words)), ...options], { ...given, ...hookUrl });
}

test.each(asking)('$name is refused without a session', async ({ name }) => {
  const { code, results, notes } = await runWith(service.url, name);
  expect(code, notes).toBe(/redrive|discard/.test(name) ? 1 : /^hooks|login/.test(name) ? 4 : 3);
  expect(results + notes).toMatch(
    /\((not-authenticated|invalid-credentials|invalid-hook-token), request [\da-f-]{36}\)/,
  );
  if (code === 3) expect([results, notes]).toEqual(['', expect.stringMatching(/\)\nSign in with: widgetctl login\n$/)]);
});

let answer: (request: ReceivedRequest, response: ServerResponse) => unknown;
const server = await openAnsweringServer((...given) => answer(...given));
const document = await fetchOpenApiDocument(service);
const asJson = (response: ServerResponse, status: number, body: unknown, type = 'application/json') =>
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
const refuse = (response: ServerResponse, status: number, problem: object) =>
  asJson(response, status, { status, ...problem }, 'application/problem+json');

describe('something else than the service', () => {
  test.each(asking)('that redirects is not followed, and never taken for success, with $name', async ({ name }) => {
    answer = ({ path }, response) => {
      if (path === '/elsewhere') return asJson(response, 200, { items: [] });
      return response.writeHead(301, { location: '/elsewhere' }).end();
    };
    const { code, results, notes } = await runWith(server.url, name);
    expect(code, notes).toBe(/redrive|discard/.test(name) ? 1 : 2);
    expect(`${results}${notes}`).toContain('redirects to ');
    expect(server.requests.every(({ path }) => path !== '/elsewhere')).toBe(true);
  });

  test.each(
    asking.flatMap(({ name }) => [
      { name, what: 'a page', type: 'text/html', body: '<html>Sign in</html>' },
      { name, what: 'an object', type: 'application/json', body: { ok: true } },
    ]),
  )('that answers $what, with $name, is named in one sentence', async ({ name, type, body }) => {
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      // Only a stream waits for it to go away.
      if (name !== 'tail' || asked === 1) return asJson(response, 200, body, type);
      return refuse(response, 404, { title: 'No', detail: 'no', code: 'not-found', requestId: 'r' });
    };
    const { code, results, notes } = await runWith(server.url, name);
    expect(code, notes).not.toBe(0);
    expect(`${results}${notes}`).toMatch(/something else answers at http:\/\/127\.0\.0\.1:\d+\/[^\n]*: 200 /);
    expect(`${results}${notes}`).not.toMatch(/TypeError|undefined|Cannot read|is not a function|\bat .*\.[jt]s:\d/);
  });
});

describe('no control character of a server reaches the terminal', () => {
  const forms = asking.flatMap(({ name }) => [
    { name, options: [] },
    { name, options: ['--json'] },
  ]);

  test.each(forms)('with $name $options', async ({ name, options }) => {
    answer = (received, response) => answerHostile(document, received, response);
    const { results, notes } = await runWith(server.url, name, ...options);
    expectPrintable(results + notes);
    if (options.length === 0 || results === '' || repeated.test(name) || name === 'hooks send') return;
    // Escaped, not changed: whoever parses it gets what the server has sent.
    const lines = results.trim().split('\n');
    expect(JSON.stringify(lines.map((line) => JSON.parse(line)))).toContain(JSON.stringify(hostile));
  });

  // With --json, a problem is printed to the standard output only if there may be several.
  test.each(forms.filter(({ name, options }) => options.length === 0 || repeated.test(name)))(
    'in a problem, with $name $options',
    async ({ name, options }) => {
      const errors = [
        { pointer: hostile, detail: hostile },
        { parameter: hostile, detail: hostile },
      ];
      const problem = { title: hostile, detail: hostile, code: hostile, requestId: hostile, errors };
      answer = (_request, response) => refuse(response, 400, problem);
      const { code, results, notes } = await runWith(server.url, name, ...options);
      expect(code).toBe(repeated.test(name) ? 1 : 4);
      expect(results + notes).toContain('\\u001b[2J');
      expectPrintable(results + notes);
    },
  );

  test('nor does one of a file or of the command line', async () => {
    for (const args of [
      [hostile.replaceAll('\0', '')],
      ['hooks', 'replay', `${folder}/\u009b2J`],
      ['--url', '\u009b2J', 'whoami'],
    ]) {
      const { code, notes } = await widgetctl.run(args, { WIDGETCTL_HOOK_URL: `${server.url}/hook` });
      expect(code).toBe(2);
      expectPrintable(notes);
    }
  });
});

test.each(Object.entries(examples))('%s does what it says', async (name, [words, printed, environment]) => {
  const args = [...split(name), ...split(fillIn(words))];
  const { code, results, notes } = await widgetctl.run(args, environment?.());
  expect(code, notes).toBe(0);
  // Titles of columns in a line, or of facts in a column.
  const shown = `${results} ${notes}`.replaceAll(/ +/g, ' ');
  const facts = results.split('\n').map((line) => line.split(/ {2,}/)[0]);
  expect([shown.includes(fillIn(printed)), facts.join(' ').includes(printed)], shown).toContain(true);
});
