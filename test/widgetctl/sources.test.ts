import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAdmin } from '../drivers/app/console-client.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
await widgetctl.run(['login', '--email', testAdmin.email, '--password-stdin'], {}, `${testAdmin.password}\n`);

async function write(name: string, content: string | object): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const secret = 'what GitHub was given';
const body = '{"action":"archived","repository":{"full_name":"acme/pump"}}';
const sign = (key: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
const mapping = await write('mapping.json', {
  kind: { from: '/action', values: { archived: 'retired' } },
  widgetId: { from: '/repository/full_name', as: 'name' },
});
const request = await write('request.json', body);
const github = ['--preset', 'github', '--mapping', mapping];
const headersOf = (key: string) => [
  '--header',
  `X-Hub-Signature-256: ${sign(key)}`,
  '--header',
  'X-GitHub-Delivery: one',
];

test('a source is tried, an integration created with it, its mapping and its secrets replaced', async () => {
  const secrets = { WIDGETCTL_SOURCE_SECRETS: secret };
  const tried = await widgetctl.run(['integrations', 'preview', request, ...github, ...headersOf(secret)], secrets);
  expect(tried).toMatchObject({ code: 0, notes: '' });
  expect(tried.results).toMatch(/^Outcome +hook\nSignature +valid \(secret 1\)\nkind +archived → retired\n/);
  expect(tried.results).toMatch(/\nWidget +has an id once the integration exists\nEvent +widget\.retired\n$/);

  // Arguments are seen by others: a header with a secret comes from a variable or a file, or stands without its value.
  const gitlab = ['integrations', 'preview', request, '--preset', 'gitlab', '--mapping', mapping];
  const header = `X-Gitlab-Token: ${secret}`;
  for (const [environment, result] of [
    [{ WIDGETCTL_HEADERS: header }, 'valid (secret 1)'],
    [{ WIDGETCTL_HEADERS_FILE: await write('headers', `${header}\nX-Gitlab-Event: Push Hook\n`) }, 'valid (secret 1)'],
    [{ WIDGETCTL_HEADERS: 'x-gitlab-token' }, 'not-verified'],
  ] as const) {
    expect((await widgetctl.run(gitlab, { ...secrets, ...environment })).results).toContain(` ${result}\n`);
  }
  expect((await widgetctl.run([...gitlab, '--header', 'x-gitlab-token'], secrets)).results).toContain('not-verified');

  const created = await widgetctl.run(['integrations', 'create', 'repositories', ...github, '--json'], secrets);
  expect(created.code).toBe(0);
  const { id, url, source } = JSON.parse(created.results) as { id: string; url: string; source: { preset: string } };
  expect(source.preset).toBe('github');
  expect(created.results).not.toContain(secret);

  const hookUrl = { WIDGETCTL_HOOK_URL: url };
  const preview = ['integrations', 'preview', request, id];
  expect((await widgetctl.run([...preview, ...headersOf(secret)])).results).toContain('not-verified');
  expect((await widgetctl.run([...preview, ...headersOf(secret)], hookUrl)).results).toContain('valid (secret 1)');

  expect((await widgetctl.run(['samples', 'list', id])).notes).toContain('none');
  expect((await widgetctl.run(['samples', 'keep', id, '--seconds', '600'])).results).toMatch(/^Kept until +2\d{3}-/);
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': sign('another secret') };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(400);
  const listSamples = () => widgetctl.read<{ body: string }>('samples', 'list', id, '--json');
  await eventually(async () => (await listSamples()).length === 1, 'a sample is kept');
  expect(await listSamples()).toMatchObject([{ code: 'invalid-hook-signature', body }]);
  expect(await widgetctl.run(['samples', 'delete', id])).toMatchObject({ code: 0, results: '' });
  expect(await listSamples()).toEqual([]);

  const other = await write('other.json', { kind: { value: 'created' } });
  expect(await widgetctl.run(['integrations', 'map', id, other])).toMatchObject({ code: 0, results: '' });
  const two = { WIDGETCTL_SOURCE_SECRETS_FILE: await write('secrets', `the new secret of theirs\n${secret}\n`) };
  expect(await widgetctl.run(['integrations', 'secrets', id], two)).toMatchObject({ code: 0 });
  const [after] = await widgetctl.read<{ signature: object; hook: object }>(...preview, ...headersOf(secret), '--json');
  expect(after?.hook).toMatchObject({ kind: 'created' });
  expect((await widgetctl.run(['integrations', 'rotate', id], two)).code).toBe(0);
});

test.each([
  [['integrations', 'preview', request], 'Give the ID of an integration, or --preset and --mapping.'],
  [['integrations', 'preview', request, 'an-id', ...github], 'Give an ID, or --preset and --mapping, not both.'],
  [['integrations', 'preview', request, ...github, '--header', 'no colon'], 'A header is not NAME: VALUE.'],
  [['integrations', 'preview', join(folder, 'none'), ...github], 'cannot be read: no such file or directory'],
  [['integrations', 'create', 'x', '--preset', 'github'], '--preset needs --mapping.'],
  [['integrations', 'create', 'x', '--mapping', mapping], '--mapping and --scheme need --preset.'],
  [
    ['integrations', 'create', 'x', '--preset', 'github', '--mapping', await write('no.json', '{')],
    'no.json is not JSON.',
  ],
  [['samples', 'keep', 'an-id', '--seconds', '59'], 'it must be a number from 60'],
  [['widgets', 'get', ''], 'An ID is empty.'],
  [['integrations', 'secrets', 'an-id'], 'WIDGETCTL_SOURCE_SECRETS is not set: one secret a line.'],
])('%j is refused before anything is sent', async (args, message) => {
  const { code, results, notes } = await widgetctl.run(args);
  expect({ code, results }).toEqual({ code: 2, results: '' });
  expect(notes).toContain(message);
});

test('what the service refuses of a source names the place', async () => {
  const { code, notes } = await widgetctl.run(['integrations', 'create', 'x', ...github]);
  expect(code).toBe(4);
  expect(notes).toContain('/source/secrets');
  expect(notes).toContain('Must have at least one secret.');
});
