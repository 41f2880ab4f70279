import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aDelivery, aQuarantinedText } from '../drivers/app/builders.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { issueIntegration } from '../drivers/app/issue-grants.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';

interface Grant {
  readonly id: string;
  readonly url: string;
  readonly token: string;
}
interface Item {
  readonly id: string;
  readonly name: string;
}

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
await signIn(widgetctl);

function signIn(tool: Widgetctl) {
  return tool.run(['login', '--email', testAdmin.email, '--password-stdin'], {}, `${testAdmin.password}\n`);
}

describe('the session', () => {
  test('is kept for later commands in a file that only its owner may read, and ends with logout', async () => {
    const own = new Widgetctl({ folder: join(folder, 'own'), url: service.url });
    const results = `Signed in at ${service.url} as ${testAdmin.email} (admin).\n`;
    expect(await signIn(own)).toMatchObject({ code: 0, results });
    const { mode } = await stat(join(folder, 'own', 'widgetctl', 'sessions.json'));
    expect(mode & 0o777).toBe(0o600);
    expect(await own.read('whoami')).toMatchObject([{ user: { email: testAdmin.email } }]);
    expect((await own.run(['logout'])).code).toBe(0);
    expect((await own.run(['whoami'])).code).toBe(3);
  });

  test('asks for the password only at a terminal', async () => {
    const { code, notes } = await widgetctl.run(['login', '--email', testAdmin.email]);
    expect(code).toBe(2);
    expect(notes).toContain('Password is missing, and there is no terminal to ask at.');
  });

  test('is found for each spelling of the same address', async () => {
    const spelled = service.url.replace('http://', 'HTTP://').replace('127.0.0.1', 'LOCALHOST');
    const lower = service.url.replace('127.0.0.1', 'localhost');
    const tool = new Widgetctl({ folder: join(folder, 'spelled'), url: lower });
    expect((await signIn(tool)).code).toBe(0);
    for (const url of [spelled, `${spelled}//`]) expect((await tool.run(['whoami', '--url', url])).code, url).toBe(0);
  });
});

describe('users', () => {
  test('are created, must change their password, and can be disabled', async () => {
    const email = 'new@example.com';
    const [first, second] = ['an early password', 'another long password'];
    const created = await widgetctl.run(['users', 'create', email, '--role', 'editor'], {
      WIDGETCTL_NEW_PASSWORD: first,
    });
    expect(created.results).toMatch(/^Created new@example.com \(editor\), id /);
    expect((await widgetctl.run(['users', 'list'])).results).toMatch(/new@example\.com.*invited until 20/);
    const own = new Widgetctl({ folder: join(folder, 'new-user'), url: service.url });
    const signedIn = await own.run(['login', '--email', email], { WIDGETCTL_PASSWORD: first });
    expect(signedIn).toMatchObject({ code: 0, notes: 'Change your password first: widgetctl password\n' });
    const refused = await own.run(['widgets', 'list']);
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.notes).toContain('Change your password first: widgetctl password');
    const secrets = { WIDGETCTL_PASSWORD: first, WIDGETCTL_NEW_PASSWORD: second };
    expect(await own.run(['password'], secrets)).toMatchObject({ code: 0, notes: 'Changed.\n' });
    expect((await own.run(['widgets', 'list'])).code).toBe(0);
    expect((await widgetctl.run(['users', 'list'])).results).toMatch(/new@example\.com.*enabled/);
    const users = (await widgetctl.read('users', 'list')) as { id: string; email: string; disabled: boolean }[];
    const { id = '' } = users.find((user) => user.email === email) ?? {};
    expect((await widgetctl.run(['users', 'disable', id])).code).toBe(0);
    expect((await own.run(['login', '--email', email], { WIDGETCTL_PASSWORD: second })).code).toBe(4);
  });
});

describe('a signed integration', () => {
  test('is made with its signing secret, and its previous URL can be ended', async () => {
    const [made] = (await widgetctl.read('integrations', 'create', 'signed', '--signed')) as [
      Grant & { signingSecret: string },
    ];
    expect(made.signingSecret).toMatch(/^whsec_/);
    const send = (url: string, secret: string) =>
      widgetctl.run(['hooks', 'send', '--kind', 'created'], { WIDGETCTL_HOOK_URL: url, WIDGETCTL_HOOK_SECRET: secret });
    expect((await send(made.url, made.signingSecret)).code).toBe(0);
    const [next] = (await widgetctl.read('integrations', 'rotate', made.id)) as [Grant & { signingSecret: string }];
    expect(await widgetctl.run(['integrations', 'end-previous', made.id])).toMatchObject({
      code: 0,
      notes: 'Ended.\n',
    });
    expect((await send(made.url, made.signingSecret)).code).toBe(4);
    expect((await send(next.url, next.signingSecret)).code).toBe(0);
  });
});

describe('a delivery', () => {
  test('is not sent again by a replay without --as-new, and once more with it', async () => {
    const [{ id, url }] = (await widgetctl.read('integrations', 'create', 'replayed')) as [Grant];
    const environment = { WIDGETCTL_HOOK_URL: url };
    const sent = await widgetctl.run(['hooks', 'send', '--kind', 'created', '--json'], environment);
    const { eventId } = JSON.parse(sent.results) as { eventId: string };
    const get = () => widgetctl.run(['deliveries', 'get', id, eventId, '--json']);
    await eventually(async () => (await get()).code === 0, 'the delivery is in the ledger');
    const file = join(folder, 'deliveries.jsonl');
    await writeFile(file, (await get()).results);
    const refused = await widgetctl.run(['hooks', 'replay', file], environment);
    expect(refused.code).toBe(2);
    expect(refused.notes).toContain('line 1: it is a delivery, which the service has had.');
    for (const _ of [1, 2])
      expect((await widgetctl.run(['hooks', 'replay', file, '--as-new'], environment)).code).toBe(0);
    const list = async () => ((await widgetctl.read('deliveries', 'list', id)) as { state: string }[]).length;
    await eventually(async () => (await list()) === 2, 'one more delivery');
  });
});

describe('widgets', () => {
  test('are created once with one key, listed and shown', async () => {
    const create = ['widgets', 'create', 'lamp', '--label', 'hall', '--label', 'north', '--idempotency-key', 'one'];
    const [first] = await widgetctl.read<Item>(...create);
    expect(await widgetctl.read<Item>(...create)).toEqual([first]);
    expect(first).toMatchObject({ name: 'lamp', labels: ['hall', 'north'], state: 'active' });
    const listed = await widgetctl.read<Item>('widgets', 'list', '--all');
    expect(listed.filter(({ name }) => name === 'lamp')).toEqual([first]);
    expect(await widgetctl.read('widgets', 'get', first?.id ?? '')).toEqual([first]);
  });

  test('are listed up to a limit, which is said', async () => {
    for (const name of ['a', 'b', 'c']) await widgetctl.read('widgets', 'create', name);
    const { results, notes } = await widgetctl.run(['widgets', 'list', '--limit', '2', '--json']);
    expect(results.trim().split('\n')).toHaveLength(2);
    expect(notes).toBe('There are more than 2: use --limit or --all.\n');
  });

  test('can be created with a provision token alone', async () => {
    const [token] = await widgetctl.read<Grant>('tokens', 'create', 'a script');
    const script = new Widgetctl({ folder: join(folder, 'script'), url: service.url });
    const { code } = await script.run(['widgets', 'create', 'by a script'], { WIDGETCTL_TOKEN: token?.token ?? '' });
    expect(code).toBe(0);
  });

  test('that the service refuses end with 4, and the mistake is named', async () => {
    const { code, notes } = await widgetctl.run(['widgets', 'create', '']);
    expect(code).toBe(4);
    expect(notes).toMatch(/^Invalid request: .*\n {2}#\/name: /);
  });
});

describe('hooks and streams', () => {
  test('a hook that is sent twice with one id is one event, which tail prints', async () => {
    const [integration] = await widgetctl.read<Grant>('integrations', 'create', 'a sender');
    const [subscription] = await widgetctl.read<Grant>('subscriptions', 'create', 'a screen');
    const [widget] = await widgetctl.read<Item>('widgets', 'create', 'boiler');
    const stream = `${service.url}${new URL(subscription?.url ?? '').pathname}`;
    const to = `${service.url}${new URL(integration?.url ?? '').pathname}`;
    const widgetId = widget?.id ?? '';
    const tail = widgetctl.run(`tail --stream ${stream} --from earliest --widget ${widgetId} --limit 3`.split(' '));
    const send = ['hooks', 'send', '--to', to, '--widget', widgetId, '--id', 'row 7', '--payload', '{"lux":300}'];
    const [sent] = await widgetctl.read(...send);
    expect(await widgetctl.read(...send)).toEqual([sent]);
    await widgetctl.read('hooks', 'send', '--to', to, '--widget', widgetId, '--kind', 'retired');
    const { code, results } = await tail;
    expect(code).toBe(0);
    const lines = results.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual(['created', 'updated', 'retired']);
    expect(lines[1]).toMatch(/boiler v2 .* hook {2}\{"lux":300\}$/);
  });

  test('a file of hooks is replayed line by line; a second run makes no event again', async () => {
    const [integration] = await widgetctl.read<Grant>('integrations', 'create', 'a file');
    const [widget] = await widgetctl.read<Item>('widgets', 'create', 'pump');
    const to = `${service.url}${new URL(integration?.url ?? '').pathname}`;
    const hook = { kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', widgetId: widget?.id };
    const file = join(folder, 'hooks.jsonl');
    await writeFile(file, [hook, hook, { ...hook, kind: 'painted' }].map((line) => JSON.stringify(line)).join('\n'));
    for (const _ of [1, 2]) {
      const { code, results, notes } = await widgetctl.run(['hooks', 'replay', file, '--to', to]);
      expect(code).toBe(1);
      expect(results.match(/accepted as event/g)).toHaveLength(2);
      expect(results).toMatch(/^line 3: Invalid request: .*\/kind/m);
      expect(notes).toContain('2 accepted, 1 refused.');
    }
    const list = () => widgetctl.read<{ duplicates: number }>('deliveries', 'list', integration?.id ?? '');
    await eventually(async () => (await list()).every(({ duplicates }) => duplicates === 1), 'each came twice');
    expect(await list()).toHaveLength(2);

    const id = integration?.id ?? '';
    const [first] = await widgetctl.read<{ eventId: string }>('deliveries', 'list', id, '--limit', '1');
    const eventId = first?.eventId ?? '';
    expect(await widgetctl.read('deliveries', 'get', id, eventId)).toMatchObject([{ eventId, widgetId: widget?.id }]);
    expect((await widgetctl.run(['deliveries', 'redrive', id])).code).toBe(2);
    const nothingDead = await widgetctl.run(['deliveries', 'redrive', id, '--all-dead']);
    expect(nothingDead).toMatchObject({ code: 0, notes: '0 accepted, 0 refused.\n' });
    await eventually(
      async () => (await widgetctl.read('deliveries', 'list', id, '--state', 'published')).length === 2,
      'published',
    );
    expect(await widgetctl.read('deliveries', 'list', id, '--webhook-id', 'none')).toEqual([]);
    expect(await widgetctl.read('deliveries', 'list', id, '--from', '2099-01-01T00:00:00Z')).toEqual([]);
    expect(await widgetctl.read('deliveries', 'list', id, '--to', '2099-01-01T00:00:00Z')).toHaveLength(2);
    const history = await widgetctl.read<{ effect: { version: number } }>('widgets', 'history', widget?.id ?? '');
    expect(history.map(({ effect }) => effect.version)).toEqual([3, 2]);
    expect((await widgetctl.run(['widgets', 'history', widget?.id ?? ''])).results).toMatch(/^VERSION .*\n3 /);
    const refused = await widgetctl.run(['deliveries', 'redrive', id, eventId]);
    expect(refused.code).toBe(1);
    expect(refused.results).toMatch(/delivery-not-dead/);
  });

  test('tail says that the stream was revoked', async () => {
    const [subscription] = await widgetctl.read<Grant>('subscriptions', 'create', 'revoked');
    await widgetctl.run(['subscriptions', 'revoke', subscription?.id ?? '']);
    const stream = `${service.url}${new URL(subscription?.url ?? '').pathname}`;
    const { code, notes } = await widgetctl.run(['tail', '--stream', stream]);
    expect(code).toBe(4);
    expect(notes).toMatch(/^the stream has ended: not-found/);
  });
});

test('a grant has its expiry and the overlap of its rotation, and is gone once it is revoked', async () => {
  const [made] = await widgetctl.read<Grant>('tokens', 'create', 'short', '--expires', '2999-01-01T00:00:00Z');
  const id = made?.id ?? '';
  expect(made).toMatchObject({ expiresAt: '2999-01-01T00:00:00.000Z' });
  const [rotated] = await widgetctl.read<Grant>('tokens', 'rotate', id, '--overlap', '0');
  expect(rotated).toMatchObject({ id, previousExpiresAt: null });
  expect(rotated?.token).not.toBe(made?.token);
  const list = async () => (await widgetctl.read<Grant>('tokens', 'list')).map((grant) => grant.id);
  expect(await list()).toContain(id);
  expect((await widgetctl.run(['tokens', 'revoke', id])).code).toBe(0);
  expect(await list()).not.toContain(id);
});

test('a service that does not answer ends a command with 5, and the address is named', async () => {
  const lost = new Widgetctl({ folder, url: 'http://127.0.0.1:8' });
  const { code, notes } = await lost.run(['widgets', 'list']);
  expect(code).toBe(5);
  expect(notes).toMatch(/^The service at http:\/\/127\.0\.0\.1:8 does not answer: /);
});

test('dead deliveries are erased by name or all at once; one that is not dead is refused', async () => {
  const { ledger } = service.backend;
  const { id } = (await issueIntegration(service.backend)).grant;
  const dead = [1, 2, 3].map(() => aDelivery({ integrationId: id, payload: '{"patient":"Ada"}' }));
  for (const delivery of dead) await ledger.markDead(delivery, 'store-refused');
  const received = aDelivery({ integrationId: id });
  await ledger.register([received]);
  const first = dead[0]?.eventId ?? '';
  const some = await widgetctl.run(['deliveries', 'discard', id, first, received.eventId]);
  expect(some).toMatchObject({ code: 1, notes: expect.stringContaining('1 accepted, 1 refused.') });
  expect(some.results).toMatch(new RegExp(`^${first}: discarded\n${received.eventId}: .*delivery-not-dead`));
  const all = await widgetctl.run(['deliveries', 'discard', id, '--all-dead']);
  expect(all).toMatchObject({ code: 0, notes: '2 accepted, 0 refused.\n' });
  expect(await widgetctl.read('deliveries', 'list', id, '--state', 'discarded')).toHaveLength(3);
  expect(await ledger.get(first)).toMatchObject({ state: 'discarded', payload: null });
});

test('a quarantined text is shown as a JSON string', async () => {
  const text = aQuarantinedText({ text: 'half a job\u001b[2J\nand a line' });
  await service.backend.quarantine.insert(text);
  const shown = await widgetctl.run(['quarantine', 'get', text.id]);
  expect(shown.results).toContain('"half a job\\u001b[2J\\nand a line"');
});

test('a payload keeps every digit of its numbers, in every command that sends or shows it', async () => {
  const payload = '{"a":12345678901234567890,"b":1e400,"c":0.10,"d":-0,"e":[1.0,3]}';
  const [integration] = await widgetctl.read<Grant>('integrations', 'create', 'numbers');
  const [widget] = await widgetctl.read<Item>('widgets', 'create', 'scale');
  const [integrationId, widgetId] = [integration?.id ?? '', widget?.id ?? ''];
  const file = join(folder, 'payload.json');
  await writeFile(file, payload);
  const environment = { WIDGETCTL_HOOK_URL: integration?.url ?? '' };
  const send = async (given: string, input?: string) => {
    const args = ['hooks', 'send', '--widget', widgetId, '--payload', given, '--json'];
    const { code, results, notes } = await widgetctl.run(args, environment, input);
    expect(code, notes).toBe(0);
    return JSON.parse(results).eventId as string;
  };
  const eventId = await send(payload);
  await send(`@${file}`);
  await send('-', payload);

  const hook = `{"kind":"updated","occurredAt":"2026-01-01T00:00:00Z","widgetId":"${widgetId}","payload":${payload}}`;
  const replay = (line: string, ...options: string[]) =>
    widgetctl.run(['hooks', 'replay', '-', ...options], environment, line);
  expect((await replay(hook)).code).toBe(0);

  const shown = await widgetctl.run(['deliveries', 'get', integrationId, eventId]);
  expect(shown.results).toContain(`Payload     ${payload}\n`);
  const recorded = await widgetctl.run(['deliveries', 'get', integrationId, eventId, '--json']);
  expect(recorded.results).toContain(`"payload":${payload}`);
  expect((await replay(recorded.results, '--as-new')).code).toBe(0);

  const readTail = async (...options: string[]) => {
    // The widget's creation, and five hooks.
    const args = `tail --from earliest --widget ${widgetId} --limit 6`.split(' ');
    return (await widgetctl.run([...args, ...options])).results;
  };
  expect((await readTail()).split(payload)).toHaveLength(6);
  expect((await readTail('--json')).split(`"payload":${payload}`)).toHaveLength(6);
});
