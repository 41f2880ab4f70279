import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { foreignSenders, toSource } from '../../drivers/app/foreign-senders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import {
  expectRefused,
  github,
  makeSourceClient,
  integrationsPath as path,
  secret,
  unsigned,
  withScheme,
} from '../../drivers/app/source-client.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create, createGitHub, post, previewOf, send } = makeSourceClient(service, headers);

describe('a hook of a foreign sender', () => {
  test('has one id and one widget for all notations of a number, and another one for another digit', async () => {
    const byNumber = { id: { from: '/id' }, widgetId: { from: '/id', as: 'name' } };
    const { token } = (await create(unsigned(byNumber))).json() as { token: string };
    const hookPath = `/api/v1/events/hooks/${token}`;
    const sendNumber = async (id: string) => (await post(hookPath, `{"id":${id}}`)).headers['webhook-event-id'];
    expect(await sendNumber('9007199254740993')).not.toBe(await sendNumber('9007199254740992'));
    expect(await sendNumber('1.10')).toBe(await sendNumber('11e-1'));
    const mapped = await previewOf(unsigned(byNumber), { body: '{"id":12345678901234567890.0}' });
    expect(mapped.hook.id).toBe('12345678901234567890');
  });

  test('may be a form, and JSON in a field of a form', async () => {
    const { hookPath } = await createGitHub({ kind: { from: '/action' } });
    const form = { type: 'application/x-www-form-urlencoded' };
    expect((await post(hookPath, 'action=updated&a=1&a=2', form)).statusCode).toBe(202);
    expect((await post(hookPath, `payload=${encodeURIComponent('{"action":"retired"}')}`, form)).statusCode).toBe(202);
    expect((await post(hookPath, 'action=updated&payload=hello', form)).statusCode).toBe(202);
    const broken = await post(hookPath, `payload=${encodeURIComponent('{"action":')}`, form);
    expectRefused(broken, 'invalid-json');
    expect(broken.json().detail).toBe('The field payload of the form is not valid JSON.');
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
    const kind = { from: '/datacontenttype', values: { 'application/json': 'created' } };
    const typed = { ...structured, body: structured.body.replace('{', '{"datacontenttype":"application/json",') };
    for (const request of [binary, typed]) {
      expect((await previewOf({ ...toSource(sender), mapping: { kind } }, request)).hook.kind).toBe('created');
    }
    const source = { ...toSource(sender), mapping: { kind: { value: 'updated' }, payload: null } };
    const created = (await create(source)).json() as { token: string };
    const response = await service.inject({
      method: 'POST',
      url: `/api/v1/events/hooks/${created.token}`,
      headers: { ...binary.headers, 'content-type': undefined as unknown as string },
    });
    expect(response.statusCode).toBe(202);
  });

  test.each([
    ['application/json', '\ufeff {"at":1}', 202],
    ['text/plain; charset=UTF-8', '{"at":1}', 202],
    ['text/json', ' \r\n{"at":1}', 202],
    ['application/octet-stream', '[{"at":1}]', 202],
    ['application/x-www-form-urlencoded', '\ufeff{"at":"&payload=%7B%7D"}', 202],
    ['nonsense', '{"at":1}', 202],
    [undefined, '{"at":1}', 202],
    ['application/json; charset=us-ascii', '{"at":1}', 202],
    ['application/json; charset=ANSI_X3.4-1968', '{"at":1}', 202],
    ['application/vnd.api+json', '"a text"', 202],
    ['application/json; charset=iso-8859-1', '{"at":1}', 'unsupported-media-type'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="payload"\r\n\r\n{}\r\n--x--',
      'unsupported-media-type',
    ],
    ['text/plain', 'at=1', 'unsupported-media-type'],
    [undefined, 'at=1', 'unsupported-media-type'],
    ['application/x-ndjson', '{"at":1}\n{"at":2}', 'invalid-json'],
  ])('is JSON if it begins so, whatever it is called: %s', async (type, body, expected) => {
    const source = unsigned({ payload: null });
    const { token } = (await create(source)).json() as { token: string };
    const headersOfType: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const url = `/api/v1/events/hooks/${token}`;
    const response = await service.post(url, Buffer.from(body), headersOfType);
    expect(response.statusCode === 202 ? 202 : response.json().code).toBe(expected);
    const { outcome, refusal } = await previewOf(source, { headers: headersOfType, body });
    expect({ outcome, step: refusal?.step }).toEqual(
      expected === 202 ? { outcome: 'hook', step: undefined } : { outcome: 'refused', step: 'body' },
    );
  });

  test.each(['', 'identity', ' Identity '])('may have the content encoding “%s”', async (encoding) => {
    const { hookPath } = await createGitHub();
    expect((await post(hookPath, '{}', { 'content-encoding': encoding })).statusCode).toBe(202);
    expectRefused(await post(hookPath, '{}', { 'content-encoding': 'gzip' }), 'unsupported-media-type');
  });

  test('is judged by its signature before its media type', async () => {
    const { hookPath } = await createGitHub();
    expectRefused(
      await post(hookPath, 'a=1', { type: 'multipart/form-data', signedWith: 'another secret' }),
      'invalid-hook-signature',
    );
    expectRefused(await post(hookPath, 'a=1', { type: 'multipart/form-data' }), 'unsupported-media-type');
  });

  const cloudEvent = {
    preset: 'cloudevents',
    mapping: { kind: { value: 'updated' }, widgetId: { from: '/subject', as: 'name' } },
  };
  const attributes = { 'ce-specversion': '1.0', 'ce-id': 'one', 'ce-source': '/plant', 'ce-type': 'changed' };

  test.each([
    ['pump', 'pump'],
    ['"pump 7"', 'pump 7'],
    ['pump%207', 'pump 7'],
    ['"pump%207"', 'pump 7'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['%22pump%22', '"pump"'],
    ['%2522', '%22'],
    ['Euro%20%E2%82%AC%20%f0%9f%98%80', 'Euro € 😀'],
    ['50%', '50%'],
    ['"open', '"open'],
  ])('a CloudEvent in binary mode has the attribute %s as %s', async (sent, expected) => {
    const { mapped } = await previewOf(cloudEvent, { headers: { ...attributes, 'ce-subject': sent }, body: '{}' });
    expect(mapped.find(({ member }: { member: string }) => member === 'widgetId').read).toBe(expected);
  });

  test('a CloudEvent in binary mode is refused if an attribute is not UTF-8', async () => {
    const request = { headers: { ...attributes, 'ce-subject': '%C0%A0' }, body: '{}' };
    const { refusal } = await previewOf(cloudEvent, request);
    expect(refusal).toMatchObject({ step: 'body', reason: expect.stringMatching(/ce-subject/) });
  });

  test.each([
    ['application/json', '{"a":1}', { data: { a: 1 } }],
    ['application/json', '12', { data: 12 }],
    ['text/plain', 'a pump\n', { data: 'a pump\n' }],
    ['text/plain', '[info] a pump', { data: '[info] a pump' }],
    ['text/plain', '{"a":1}', { data: { a: 1 } }],
    ['application/xml', '<pump/>', { data: '<pump/>' }],
    ['image/svg+xml; charset=utf-8', '<svg/>', { data: '<svg/>' }],
    ['application/octet-stream', 'abc', { data_base64: 'YWJj' }],
    [undefined, '12', { data: 12 }],
    [undefined, 'a pump', { data: 'a pump' }],
    ['application/json', '', {}],
  ])('a CloudEvent in binary mode has its data as in structured mode: %s %s', async (type, body, expected) => {
    const typed = type === undefined ? {} : { 'content-type': type };
    const { hook } = await previewOf(cloudEvent, { headers: { ...attributes, ...typed, 'ce-subject': 'pump' }, body });
    const { data, data_base64 } = hook.payload;
    expect(JSON.parse(JSON.stringify({ data, data_base64 }))).toEqual(expected);
    expect(hook.payload.datacontenttype).toBe(type);
  });

  test('a CloudEvent in structured mode may have the headers of binary mode, too', async () => {
    const body = JSON.stringify({ specversion: '1.0', id: 'two', source: '/plant', type: 'changed', subject: 'valve' });
    const headersOfBoth = { ...attributes, 'content-type': 'application/cloudevents+json; charset=utf-8' };
    const { hook } = await previewOf(cloudEvent, { headers: headersOfBoth, body });
    expect(hook).toMatchObject({ id: '["/plant","two"]', payload: { subject: 'valve' } });
  });

  test.each(['application/cloudevents-batch+json', 'application/json'])(
    'a batch of CloudEvents is refused as a batch: %s',
    async (type) => {
      const { refusal } = await previewOf(cloudEvent, {
        headers: { 'content-type': type },
        body: '[{"id":"1"},{"id":"2"}]',
      });
      expect(refusal).toMatchObject({ step: 'body', reason: expect.stringMatching(/batch/) });
    },
  );

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
      service.post(`/api/v1/events/hooks/${token}`, body, {
        'content-type': 'application/json',
        'x-slack-request-timestamp': time,
        'x-slack-signature': sign(key),
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

  test('above the limit of the body says how large it may be, and who sets that', async () => {
    const { hookPath } = await createGitHub();
    const response = await post(hookPath, JSON.stringify({ a: 'x'.repeat(70_000) }));
    expectRefused(response, 'payload-too-large');
    expect(response.json().detail).toMatch(/ 65536 bytes.*BODY_LIMIT_BYTES/);
  });

  test('that is an array names the batch as a reason', async () => {
    const { hookPath } = await createGitHub({ payload: null, widgetId: { from: '/id' } });
    const response = await post(hookPath, '[{"id":1},{"id":2}]');
    expectRefused(response, 'hook-not-mappable');
    expect(response.json().detail).toMatch(/array, perhaps a batch/);
  });

  test('may have the value “repeated” in a header', async () => {
    const kind = { header: 'x-event', values: { repeated: 'created' } };
    const { hook } = await previewOf(unsigned({}, kind), { headers: { 'x-event': 'repeated' }, body: '{}' });
    expect(hook.kind).toBe('created');
    const twice = await previewOf(unsigned({}, kind), { headers: { 'x-event': ['repeated', 'repeated'] }, body: '{}' });
    expect(twice.refusal).toMatchObject({ step: 'kind', reason: 'the header is repeated' });
  });

  test.each([
    ['nothing at the pointer of its payload', { payload: { from: '/daat' } }, 'payload'],
    ['an empty part of its id', { id: { all: [{ from: '/a' }, { from: '/empty' }] } }, 'id'],
    [
      'an empty part of the name of its widget',
      { widgetId: { all: [{ from: '/a' }, { from: '/empty' }], as: 'name' } },
      'widgetId',
    ],
  ])('is refused with %s', async (_, changed, step) => {
    const { refusal } = await previewOf(unsigned(changed), { body: '{"data":{},"a":"a","empty":""}' });
    expect(refusal).toMatchObject({ step });
  });

  test('may have null as its payload, and an empty text for a time', async () => {
    const changed = { payload: { from: '/data' }, occurredAt: { from: '/at', otherwise: 'now' } };
    expect(await previewOf(unsigned(changed), { body: '{"data":null,"at":""}' })).toMatchObject({
      outcome: 'hook',
      hook: { payload: null },
    });
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
      detail: 'The mapping of this integration fails at widgetId: there is no text.',
      errors: [{ pointer: '#/repository/full%20name' }],
    });
    const refusals = await send('GET', `${path}/${id}/refusals`);
    expect(refusals.statusCode).toBe(200);
  });

  test.each([
    ['RFC 3339 with an offset', { from: '/at' }, '"2026-03-01T11:00:00.1234+01:00"', '2026-03-01T10:00:00.1234Z'],
    ['Unix seconds', { from: '/at', format: 'unix-seconds' }, '1772359200.25', '2026-03-01T10:00:00.25Z'],
    ['Unix milliseconds', { from: '/at', format: 'unix-milliseconds' }, '1772359200250', '2026-03-01T10:00:00.250Z'],
    ['as GitLab writes it', { from: '/at' }, '"2026-03-01 10:00:00 UTC"', '2026-03-01T10:00:00Z'],
    ['as GitLab writes it with a zone', { from: '/at' }, '"2026-03-01 11:00:00 +0100"', '2026-03-01T10:00:00Z'],
    ['as Twilio writes it', { from: '/at' }, '"Sun, 01 Mar 2026 10:00:00 +0000"', '2026-03-01T10:00:00Z'],
    ['as GitHub writes pushed_at', { from: '/at', otherwise: 'now' }, '1772359200', '2026-03-01T10:00:00Z'],
    ['a text among numbers', { from: '/at', format: 'unix-seconds' }, '"2026-03-01T10:00:00Z"', '2026-03-01T10:00:00Z'],
    ['a number with an exponent', { from: '/at', format: 'unix-seconds' }, '1.7723592e9', '2026-03-01T10:00:00Z'],
  ])('has its time in UTC: %s', async (_, occurredAt, at, expected) => {
    const { hook } = await previewOf(unsigned({ occurredAt }), { body: `{"at":${at}}` });
    expect(hook.occurredAt).toBe(expected);
  });

  test.each([
    ['no time', '{}', /no text/],
    ['a time in two days', `{"at":"${new Date(Date.now() + 172_800_000).toISOString()}"}`, /24 hours ahead/],
    ['a time without a zone', '{"at":"2026-03-01 10:00:00"}', /no time/],
    ['a time before 1970', '{"at":"1969-12-31T23:59:59Z"}', /before 1970/],
    ['an object', '{"at":{}}', /an object or an array/],
  ])('with %s is refused', async (_, body, reason) => {
    // The time of the arrival stands for a time that is not there, never for one that was not understood.
    for (const otherwise of body === '{}' ? ['refuse'] : ['refuse', 'now']) {
      const { refusal, outcome } = await previewOf(unsigned({ occurredAt: { from: '/at', otherwise } }), { body });
      expect(outcome).toBe('refused');
      expect(refusal).toEqual({ step: 'occurredAt', reason: expect.stringMatching(reason), pointer: '#/at' });
    }
  });

  test.each([
    [
      'stripe',
      '{"id":"evt_1","object":"v2.core.event","created":"2026-03-01T10:00:00.25Z"}',
      '2026-03-01T10:00:00.25Z',
    ],
    ['stripe', '{"id":"evt_1","object":"event","created":1772359200}', '2026-03-01T10:00:00Z'],
    ['standard-webhooks', '{"timestamp":1772359200000}', '2026-03-01T10:00:00.000Z'],
    ['standard-webhooks', '{"timestamp":1.7723592e9}', '2026-03-01T10:00:00Z'],
  ])('of %s has the time in the form that the sender chose: %s', async (preset, body, expected) => {
    const source = { preset, mapping: { kind: { value: 'updated' } } };
    const { hook } = await previewOf(source, { body, headers: { 'webhook-id': 'one' } });
    expect(hook.occurredAt).toBe(expected);
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

describe('what the sender has not signed', () => {
  const body = '{"action":"opened","text":"&payload=%7B%22action%22%3A%22archived%22%7D"}';

  test('changes nothing of a body: attributes of CloudEvents in headers', async () => {
    const headersOfEvent = { 'ce-specversion': '1.0', 'ce-action': 'archived' };
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const request = {
      body,
      headers: { ...headersOfEvent, 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': 'one' },
    };
    const { signature: verified, hook } = await previewOf(github, request);
    expect({ verified: verified.result, kind: hook.kind }).toEqual({ verified: 'valid', kind: 'updated' });
  });

  test('changes nothing of a body: a time in a header does not replace that of the body', async () => {
    const old = JSON.stringify({ time: Math.floor(Date.now() / 1_000) - 3_600 });
    const scheme = { algorithm: 'hmac-sha256', header: 'x-sig', timestamp: { from: '/time' } };
    const signature = createHmac('sha256', secret).update(old).digest('hex');
    const headersOfEvent = { 'ce-specversion': '1.0', 'ce-time': `${Math.floor(Date.now() / 1_000)}` };
    const request = { body: old, headers: { ...headersOfEvent, 'x-sig': signature } };
    expect((await previewOf(withScheme(scheme), request)).signature).toMatchObject({ result: 'invalid' });
  });

  test('changes nothing of a body: JSON that is called a form stays JSON', async () => {
    const request = { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const kind = { from: '/action', values: { archived: 'retired' }, otherwise: 'updated' };
    expect((await previewOf(unsigned({}, kind), request)).hook.kind).toBe('updated');
  });
});
