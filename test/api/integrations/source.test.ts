import { createHmac } from 'node:crypto';
import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { customScheme, foreignSenders, toSource } from '../../drivers/app/foreign-senders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const path = '/api/v1/integrations';

const expectRefused = (response: TestResponse, code: ProblemCode, status = 400) =>
  expectProblem(response, { status, code });
const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object) =>
  service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
const create = (source: object | null, members: object = {}) =>
  send('POST', path, { name: 'foreign', source, ...members });
const secret = 'a secret for GitHub';
const mapping = { kind: { from: '/action', values: { archived: 'retired' }, otherwise: 'updated' } };
const github = { preset: 'github', secrets: [secret], mapping };

async function createGitHub(changed: object = {}) {
  const response = await create({ ...github, mapping: { ...mapping, ...changed } });
  expect(response.statusCode).toBe(201);
  const { id, token } = response.json() as { id: string; token: string };
  return { id, hookPath: `/api/v1/events/hooks/${token}` };
}

function post(
  hookPath: string,
  body: string,
  { type = 'application/json', signedWith = secret, ...more }: Readonly<Record<string, string>> = {},
) {
  const signature = `sha256=${createHmac('sha256', signedWith).update(body).digest('hex')}`;
  const own = { 'content-type': type, 'x-hub-signature-256': signature, 'x-github-delivery': `${Math.random()}` };
  return service.inject({ method: 'POST', url: hookPath, headers: { ...own, ...more }, payload: body });
}

/** What a preview says of this request, without its signature. */
async function previewOf(source: object, request: { headers?: object; body: string }) {
  const response = await send('POST', `${path}/preview`, { source, ...request });
  expect(response.statusCode).toBe(200);
  return response.json();
}

const unsigned = (changed: object = {}, kind: object = { value: 'updated' }) => ({
  preset: 'custom',
  scheme: { algorithm: 'none' },
  mapping: { kind, id: null, ...changed },
});

describe('POST /api/v1/integrations with a source', () => {
  test('shows the source with its defaults, and never a secret', async () => {
    const created = await create(github);
    const { id, signature, source } = created.json();
    expect({ signature, source }).toEqual({
      signature: 'source',
      source: {
        preset: 'github',
        scheme: null,
        mapping: {
          only: [],
          ...mapping,
          occurredAt: { now: true, format: 'rfc3339', otherwise: 'now' },
          widgetId: null,
          id: { header: 'x-github-delivery' },
          payload: { from: '' },
        },
      },
    });
    const texts = [created.body, (await send('GET', `${path}/${id}`)).body, (await send('GET', path)).body];
    const stored = JSON.stringify(await service.backend.integrations.get(id));
    for (const text of [...texts, stored, service.logLines.join('')]) expect(text).not.toContain(secret);
  });

  test('without a source, the integration is as ever', async () => {
    for (const source of [undefined, null]) {
      const { source: shown, signature, token } = (await create(source as null)).json();
      expect({ shown, signature }).toEqual({ shown: null, signature: 'none' });
      const body = '{"kind":"updated","occurredAt":"2026-03-01T10:00:00Z"}';
      expect((await post(`/api/v1/events/hooks/${token}`, body)).statusCode).toBe(202);
      const form = { type: 'application/x-www-form-urlencoded' };
      expectRefused(await post(`/api/v1/events/hooks/${token}`, 'kind=updated', form), 'unsupported-media-type');
    }
  });

  test.each([
    ['an unknown preset', { ...github, preset: 'gitlob' }, '#/source/preset'],
    ['a scheme beside a preset', { ...github, scheme: customScheme }, '#/source/scheme'],
    ['custom without a scheme', { ...github, preset: 'custom' }, '#/source/scheme'],
    ['no secret', { ...github, secrets: [] }, '#/source/secrets'],
    ['secrets left out', { preset: 'github', mapping }, '#/source/secrets'],
    ['a short secret', { ...github, secrets: [secret, 'seven77'] }, '#/source/secrets/1'],
    ['five secrets', { ...github, secrets: [1, 2, 3, 4, 5].map((at) => `${secret}${at}`) }, '#/source/secrets'],
    [
      'a secret of another encoding',
      { preset: 'standard-webhooks', secrets: ['not base64'], mapping },
      '#/source/secrets/0',
    ],
    ['a secret for a scheme without', { ...unsigned(), secrets: [secret] }, '#/source/secrets'],
    ['no mapping', { preset: 'github', secrets: [secret] }, '#/source/mapping'],
    ['a pointer without slash', { ...github, mapping: { kind: { from: 'action' } } }, '#/source/mapping/kind/from'],
    ['two places', { ...github, mapping: { kind: { from: '/a', header: 'b' } } }, '#/source/mapping/kind'],
    ['no place', { ...github, mapping: { kind: { otherwise: 'updated' } } }, '#/source/mapping/kind'],
    [
      'an unknown kind',
      { ...github, mapping: { kind: { from: '/a', values: { a: 'b' } } } },
      '#/source/mapping/kind/values/a',
    ],
    ['an unknown member', { ...github, mapping: { ...mapping, code: 'x' } }, '#/source/mapping/code'],
    ['one part', { ...github, mapping: { ...mapping, id: { all: [{ from: '/a' }] } } }, '#/source/mapping/id/all'],
    [
      'a time that is not signed',
      { ...unsigned(), secrets: [secret], scheme: { ...customScheme, secretEncoding: 'text', signed: '{id}{body}' } },
      '#/source/scheme/signed',
    ],
    ['a scheme without header', { ...unsigned(), scheme: { algorithm: 'token' } }, '#/source/scheme/header'],
    [
      'a template without the body',
      { ...unsigned(), scheme: { algorithm: 'none', signed: 'x' } },
      '#/source/scheme/signed',
    ],
  ])('refuses %s', async (_, source, pointer) => {
    const response = await create(source);
    expect(response.json().errors).toEqual([expect.objectContaining({ pointer })]);
    expectRefused(response, 'invalid-request');
    expect(response.body).not.toContain(secret);
  });

  test.each([{ signature: 'standard-webhooks' }, { signature: 'none' }])(
    'refuses %j beside a source',
    async (members) => {
      const response = await create(github, members);
      expect(response.json().errors).toEqual([expect.objectContaining({ pointer: '#/signature' })]);
    },
  );
});

describe('a hook of a foreign sender', () => {
  test('keeps the digits of its payload', async () => {
    const { hook, event } = await previewOf(unsigned({ payload: { from: '/data' } }), { body: '{"data":{"n":1}}' });
    expect({ hook: hook.payload, event: event.data.payload }).toEqual({ hook: { n: 1 }, event: { n: 1 } });
    const digits = '{"n":12345678901234567890.10}';
    const response = await send('POST', `${path}/preview`, {
      source: unsigned({ payload: { from: '/data' } }),
      body: `{"data":${digits}}`,
    });
    expect(response.body).toContain(`"payload":${digits}`);
  });

  test('may be a form, and JSON in a field of a form', async () => {
    const { hookPath } = await createGitHub({ kind: { from: '/action' } });
    const form = { type: 'application/x-www-form-urlencoded' };
    expect((await post(hookPath, 'action=updated&a=1&a=2', form)).statusCode).toBe(202);
    expect((await post(hookPath, `payload=${encodeURIComponent('{"action":"retired"}')}`, form)).statusCode).toBe(202);
    expectRefused(await post(hookPath, 'payload=updated', form), 'invalid-json');
    const source = unsigned({}, { from: '/action' });
    const request = { headers: { 'Content-Type': form.type }, body: 'action=updated&a=1&a=2' };
    expect((await previewOf(source, request)).hook.payload).toEqual({ action: 'updated', a: ['1', '2'] });
  });

  test('may be a CloudEvent in binary mode', async () => {
    const sender = foreignSenders.find(({ preset }) => preset === 'cloudevents');
    if (sender === undefined) throw new Error('unreachable');
    const structured = sender.build({ secret: sender.secret, at: new Date(), url: '', id: 'one', name: 'pump ü' });
    const { data, ...attributes } = JSON.parse(structured.body) as Record<string, unknown>;
    const own = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeURIComponent(`${value}`)]);
    const binary = {
      headers: {
        ...Object.fromEntries(own),
        'content-type': 'application/json',
        authorization: `Bearer ${sender.secret}`,
      },
      body: JSON.stringify(data),
    };
    const [one, other] = [await previewOf(toSource(sender), structured), await previewOf(toSource(sender), binary)];
    expect(one.outcome).toBe('hook');
    expect(other.hook).toEqual(one.hook);
    const source = { ...toSource(sender), mapping: { kind: { value: 'updated' }, payload: null } };
    const created = (await create(source)).json() as { token: string };
    const response = await service.inject({
      method: 'POST',
      url: `/api/v1/events/hooks/${created.token}`,
      headers: { ...binary.headers, 'content-type': undefined as unknown as string },
    });
    expect(response.statusCode).toBe(202);
  });

  test('data of a CloudEvent cannot change its attributes', async () => {
    const { refusal } = await previewOf(unsigned(), {
      headers: { 'ce-specversion': '1.0', 'ce-id': 'one', 'content-type': 'application/json' },
      body: '1,"id":"other"',
    });
    expect(refusal).toMatchObject({ step: 'body' });
  });

  test('a handshake of Slack is answered as Slack expects, if it is signed', async () => {
    const sender = foreignSenders.find(({ preset }) => preset === 'slack');
    if (sender === undefined) throw new Error('unreachable');
    const { token } = (await create(toSource(sender))).json() as { token: string };
    const body =
      '{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}';
    const time = `${Math.floor(Date.now() / 1_000)}`;
    const sign = (key: string) => `v0=${createHmac('sha256', key).update(`v0:${time}:${body}`).digest('hex')}`;
    const request = (key: string) =>
      service.inject({
        method: 'POST',
        url: `/api/v1/events/hooks/${token}`,
        headers: {
          'content-type': 'application/json',
          'x-slack-request-timestamp': time,
          'x-slack-signature': sign(key),
        },
        payload: body,
      });
    const answer = await request(sender.secret);
    expect({ status: answer.statusCode, type: answer.headers['content-type'], body: answer.body }).toEqual({
      status: 200,
      type: 'text/plain; charset=utf-8',
      body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    expectRefused(await request(sender.otherSecret), 'invalid-hook-signature');
  });

  test('a ping of GitHub is ignored, whatever the mapping says', async () => {
    const { hookPath } = await createGitHub({ kind: { value: 'updated' } });
    const ping = await post(hookPath, '{"zen":"Keep it logically awesome."}', { 'x-github-event': 'ping' });
    expect(ping.statusCode).toBe(202);
    expect(ping.headers).not.toHaveProperty('webhook-event-id');
  });

  test('that the mapping refuses names the step and the place', async () => {
    const { id, hookPath } = await createGitHub({
      kind: { from: '/action', otherwise: 'refuse' },
      widgetId: { from: '/repository/full name', as: 'name' },
    });
    const noKind = await post(hookPath, '{"action":"opened"}');
    expectRefused(noKind, 'hook-not-mappable');
    expect(noKind.json().errors).toEqual([expect.objectContaining({ pointer: '#/action' })]);
    const noWidget = await post(hookPath, '{"action":"updated"}');
    expect(noWidget.json()).toMatchObject({
      detail: 'The mapping of this integration finds no widgetId: there is no text.',
      errors: [{ pointer: '#/repository/full%20name' }],
    });
    const refusals = await send('GET', `${path}/${id}/refusals`);
    expect(refusals.statusCode).toBe(200);
  });

  test.each([
    ['RFC 3339 with an offset', { from: '/at' }, '"2026-03-01T11:00:00.1234+01:00"', '2026-03-01T10:00:00.1234Z'],
    ['Unix seconds', { from: '/at', format: 'unix-seconds' }, '1772359200.25', '2026-03-01T10:00:00.25Z'],
    ['Unix milliseconds', { from: '/at', format: 'unix-milliseconds' }, '1772359200250', '2026-03-01T10:00:00.250Z'],
  ])('has its time in UTC: %s', async (_, occurredAt, at, expected) => {
    const { hook } = await previewOf(unsigned({ occurredAt }), { body: `{"at":${at}}` });
    expect(hook.occurredAt).toBe(expected);
  });

  test.each([
    ['no time', '{}', /no text/],
    ['a time in two days', `{"at":"${new Date(Date.now() + 172_800_000).toISOString()}"}`, /24 hours ahead/],
    ['a time before 1970', '{"at":"1969-12-31T23:59:59Z"}', /before 1970/],
    ['an object', '{"at":{}}', /an object or an array/],
  ])('with %s is refused', async (_, body, reason) => {
    const { refusal, outcome } = await previewOf(unsigned({ occurredAt: { from: '/at' } }), { body });
    expect(outcome).toBe('refused');
    expect(refusal).toEqual({ step: 'occurredAt', reason: expect.stringMatching(reason), pointer: '#/at' });
  });

  test('composed names are different objects', async () => {
    const widgetId = { all: [{ from: '/a' }, { from: '/b' }], as: 'name' };
    const { id, hookPath } = await createGitHub({ widgetId });
    const previewSaved = async (body: string) =>
      (await send('POST', `${path}/${id}/preview`, { body, url: `https://hooks.example${hookPath}` })).json();
    const source = unsigned({ widgetId, id: { all: [{ from: '/a' }, { from: '/b' }] } });
    const ids = [
      (await previewOf(source, { body: '{"a":"ab","b":"c"}' })).hook.id,
      (await previewOf(source, { body: '{"a":"a","b":"bc"}' })).hook.id,
    ];
    expect(ids).toEqual(['["ab","c"]', '["a","bc"]']);
    expect((await previewSaved('{}')).signature.result).toBe('invalid');
  });

  test('is ignored by the first filter that does not match', async () => {
    const only = [
      { header: 'X-GitHub-Event', in: ['repository', 'push'] },
      { from: '/repository/private', in: ['false'] },
    ];
    const { hookPath } = await createGitHub({ only, kind: { value: 'updated' } });
    const body = '{"repository":{"private":false}}';
    const statuses = [
      await post(hookPath, body, { 'x-github-event': 'push' }),
      await post(hookPath, body, { 'x-github-event': 'ping' }),
      await post(hookPath, body.replace('false', 'true'), { 'x-github-event': 'push' }),
    ].map(({ statusCode, headers: answered }) => [statusCode, 'webhook-event-id' in answered]);
    expect(statuses).toEqual([
      [202, true],
      [202, false],
      [202, false],
    ]);
  });
});

describe('the mapping', () => {
  test('is changed as a whole, in the form in which it is shown', async () => {
    const { id, hookPath } = await createGitHub({ kind: { from: '/action' } });
    const shown = (await send('GET', `${path}/${id}`)).json().source.mapping;
    const same = await send('PUT', `${path}/${id}/source/mapping`, shown);
    expect({ status: same.statusCode, mapping: same.json().source.mapping }).toEqual({ status: 200, mapping: shown });
    const changed = await send('PUT', `${path}/${id}/source/mapping`, { ...shown, kind: { value: 'retired' } });
    expect(changed.json().source).toMatchObject({ preset: 'github', mapping: { kind: { value: 'retired' } } });
    expect(hookPath).toMatch(/wht_/);
  });

  test('of no source is not found', async () => {
    const { id } = (await create(null)).json() as { id: string };
    expectRefused(await send('PUT', `${path}/${id}/source/mapping`, mapping), 'not-found', 404);
    expectRefused(await send('PUT', `${path}/${id}/source/secrets`, { secrets: [secret] }), 'not-found', 404);
    expectRefused(await send('POST', `${path}/${id}/preview`, { body: '' }), 'not-found', 404);
  });

  test('secrets must be written as the scheme says', async () => {
    const { id } = await createGitHub();
    for (const secrets of [[], ['seven77']]) {
      expectRefused(await send('PUT', `${path}/${id}/source/secrets`, { secrets }), 'invalid-request');
    }
  });
});

describe('a rotation', () => {
  test('needs the secrets again; the previous address keeps its own', async () => {
    const { id, hookPath } = await createGitHub({ kind: { value: 'updated' } });
    const missing = await send('POST', `${path}/${id}/rotate`, {});
    expect(missing.json().errors).toEqual([expect.objectContaining({ pointer: '#/secrets', code: 'required' })]);
    const rotated = await send('POST', `${path}/${id}/rotate`, { secrets: ['another secret'] });
    const { token, signature, previousSignature } = rotated.json();
    expect({ signature, previousSignature }).toEqual({ signature: 'source', previousSignature: 'source' });
    const next = `/api/v1/events/hooks/${token}`;
    expect((await post(next, '{}', { signedWith: 'another secret' })).statusCode).toBe(202);
    expect((await post(next, '{}')).statusCode).toBe(400);
    expect((await post(hookPath, '{}')).statusCode).toBe(202);
  });

  test('of an integration without a source takes no secrets', async () => {
    const { id } = (await create(null)).json() as { id: string };
    const response = await send('POST', `${path}/${id}/rotate`, { secrets: [secret] });
    expect(response.json().errors).toEqual([expect.objectContaining({ pointer: '#/secrets' })]);
  });
});

describe('a preview', () => {
  test('needs the address of the integration to verify a signature', async () => {
    const { id, hookPath } = await createGitHub();
    const body = '{"action":"archived"}';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const request = { body, headers: { 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': 'one' } };
    const resultWith = async (url?: string) => {
      const payload = { ...request, ...(url === undefined ? {} : { url }) };
      return (await send('POST', `${path}/${id}/preview`, payload)).json();
    };
    expect((await resultWith()).signature).toEqual({ result: 'not-verified', secret: null, reason: null });
    expect((await resultWith(`https://hooks.example${hookPath}`)).signature.result).toBe('valid');
    const { hookPath: other } = await createGitHub();
    expect((await resultWith(`https://hooks.example${other}`)).signature.result).toBe('not-verified');
    expect((await resultWith()).mapped).toEqual([
      { member: 'kind', read: 'archived', became: 'retired' },
      { member: 'occurredAt', read: null, became: expect.any(String) },
      { member: 'id', read: 'one', became: 'one' },
      { member: 'payload', read: body, became: body },
    ]);
  });

  test('says why a signature is not valid, and shows no secret', async () => {
    const response = await send('POST', `${path}/preview`, { source: github, body: '{}' });
    expect(response.json()).toMatchObject({
      outcome: 'refused',
      signature: { result: 'invalid', reason: 'the header x-hub-signature-256 is missing' },
      refusal: { step: 'signature' },
    });
    expect(response.body).not.toContain(secret);
  });

  test('maps a request whose signature is not valid, or not verified, all the same', async () => {
    const request = { body: '{"action":"archived"}', headers: { 'X-GitHub-Delivery': 'one' } };
    const { secrets, ...withoutSecrets } = github;
    for (const source of [github, withoutSecrets]) {
      const { outcome, hook } = await previewOf(source, request);
      expect(outcome).toBe(source === github ? 'refused' : 'hook');
      expect(hook).toMatchObject({ kind: 'retired', id: 'one' });
    }
    expect(secrets).toEqual([secret]);
  });

  test('shows the widget of the event', async () => {
    const payload = { name: 'pump' };
    const { id } = (await send('POST', '/api/v1/widgets', payload)).json() as { id: string };
    const source = unsigned({ widgetId: { from: '/id' } }, { value: 'retired' });
    const { event } = await previewOf(source, { body: JSON.stringify({ id: id.toUpperCase() }) });
    expect(event.data).toMatchObject({ stateChanged: true, widget: { id, state: 'retired', version: 2 } });
    expect((await send('GET', `/api/v1/widgets/${id}`)).json()).toMatchObject({ state: 'active', version: 1 });
  });
});
