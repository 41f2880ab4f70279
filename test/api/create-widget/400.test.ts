import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/app/test-app.ts';

let service: TestApp;
let editor: TestCaller;
beforeAll(async () => {
  service = await openTestApp();
  editor = await service.signedIn('editor');
});
afterAll(() => service.close());

const create = (payload: object | string | Buffer | undefined, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    headers: { ...editor.headers, 'content-type': 'application/json', ...headers },
    ...(payload === undefined ? {} : { payload }),
  });

const owner = { userId: '0197a0b0-0000-0000-0000-00000000abcd', email: 'ann@example.com' };

describe('POST /api/v1/widgets: invalid member', () => {
  test.each<[string, unknown, string, string]>([
    ['a missing name', {}, '#/name', 'required'],
    ['a null name', { name: null }, '#/name', 'type'],
    ['a number as name', { name: 1 }, '#/name', 'type'],
    ['a blank name', { name: '  ' }, '#/name', 'too-short'],
    ['a name of 201 emoji', { name: '💡'.repeat(201) }, '#/name', 'too-long'],
    ['a control character in the name', { name: 'a\u0007b' }, '#/name', 'format'],
    ['an unknown state', { name: 'x', state: 'gone' }, '#/state', 'enum'],
    ['a number as state', { name: 'x', state: 1 }, '#/state', 'type'],
    ['a string as labels', { name: 'x', labels: 'a' }, '#/labels', 'type'],
    ['a number as label', { name: 'x', labels: ['a', 1] }, '#/labels/1', 'type'],
    ['a blank label', { name: 'x', labels: [' '] }, '#/labels/0', 'too-short'],
    ['a label of 65 characters', { name: 'x', labels: ['a'.repeat(65)] }, '#/labels/0', 'too-long'],
    ['33 labels', { name: 'x', labels: [...Array(33).keys()].map(String) }, '#/labels', 'too-long'],
    ['an array as owner', { name: 'x', owner: [] }, '#/owner', 'type'],
    ['an owner without an e-mail', { name: 'x', owner: { userId: owner.userId } }, '#/owner/email', 'required'],
    ['an owner with a malformed user id', { name: 'x', owner: { ...owner, userId: 'x' } }, '#/owner/userId', 'format'],
    ['an owner with a malformed e-mail', { name: 'x', owner: { ...owner, email: 'ann' } }, '#/owner/email', 'format'],
    [
      'an owner with an e-mail of 255 characters',
      { name: 'x', owner: { ...owner, email: `${'a'.repeat(243)}@example.com` } },
      '#/owner/email',
      'too-long',
    ],
    ['a string as notify', { name: 'x', owner: { ...owner, notify: 'yes' } }, '#/owner/notify', 'type'],
    ['an unknown field', { name: 'x', 'la/be~l': [] }, '#/la~1be~0l', 'unknown-field'],
    ['an unknown field of the owner', { name: 'x', owner: { ...owner, role: 1 } }, '#/owner/role', 'unknown-field'],
    ['an array as the whole body', [], '#', 'type'],
    ['null as the whole body', null, '#', 'required'],
  ])('returns 400 invalid-request for %s', async (_, body, pointer, code) => {
    const response = await create(JSON.stringify(body));
    expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('lists every mistake, up to 20', async () => {
    const response = await create({ state: 1, owner: {}, extra: 1 });
    const pointers = response.json().errors.map((error: { pointer: string }) => error.pointer);
    expect(pointers.sort()).toEqual(['#/extra', '#/name', '#/owner/email', '#/owner/userId', '#/state']);
    const withFiftyMistakes = await create(Object.fromEntries([...Array(50).keys()].map((n) => [`f${n}`, n])));
    expect(withFiftyMistakes.json().errors).toHaveLength(20);
  });

  test('does not repeat the values that were sent', async () => {
    const response = await create({
      name: 'x',
      state: 'secret-value',
      owner: { userId: 'secret-value', email: 'secret-value' },
    });
    expect(response.statusCode).toBe(400);
    expect(response.body).not.toContain('secret-value');
  });

  test('returns 400 invalid-request for a missing body', async () => {
    const errors = [{ pointer: '#', code: 'required' }];
    expectProblem(await create(undefined), { status: 400, code: 'invalid-request', errors });
    const { 'content-type': _, ...headers } = { ...editor.headers, 'content-type': '' };
    const withoutBody = await service.inject({ method: 'POST', url: '/api/v1/widgets', headers });
    expectProblem(withoutBody, { status: 400, code: 'invalid-request', errors });
  });
});

describe('POST /api/v1/widgets: invalid JSON, media type or size', () => {
  const nestArrays = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  test.each<[string, string | Buffer]>([
    ['incomplete JSON', '{"name":'],
    ['two values', '{} {}'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a lone surrogate', '{"name":"\\ud800"}'],
    ['a lone surrogate in a member name', '{"na\\udc00me":"x"}'],
    ['33 nested levels', nestArrays(33)],
    ['20 000 nested levels', nestArrays(20_000)],
    ['a __proto__ member', '{"name":"x","__proto__":{"state":"retired"}}'],
    ['an escaped __proto__ member', '{"name":"x","\\u005f_proto__":{"state":"retired"}}'],
    ['a constructor.prototype member', '{"name":"x","constructor":{"prototype":{"a":1}}}'],
  ])('returns 400 invalid-json for %s', async (_, body) => {
    expectProblem(await create(body), { status: 400, code: 'invalid-json' });
  });

  test('parses 32 nested levels, and then returns 400 invalid-request', async () => {
    expectProblem(await create(nestArrays(32)), { status: 400, code: 'invalid-request' });
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/problem+json', {}],
    ['application/json; charset=latin1', {}],
    ['nonsense', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('returns 400 unsupported-media-type for %s with the headers %o', async (type, headers) => {
    const response = await create('{"name":"x"}', { 'content-type': type, ...headers });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('returns 400 unsupported-media-type for a body without a Content-Type', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: editor.headers,
      payload: Buffer.from('{"name":"x"}'),
    });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('accepts 64 KiB, and returns 400 payload-too-large for one byte more', async () => {
    const makeBody = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`;
    expect((await create(makeBody(65_536))).statusCode).toBe(201);
    expectProblem(await create(makeBody(65_537)), { status: 400, code: 'payload-too-large' });
  });
});

describe('POST /api/v1/widgets: invalid Idempotency-Key', () => {
  test.each([[''], ['two words'], ['""'], ['a'.repeat(256)], ['käse']])(
    'returns 400 invalid-idempotency-key for %j',
    async (key) => {
      const response = await create({ name: 'x' }, { 'idempotency-key': key });
      const errors = [{ header: 'Idempotency-Key', code: 'format' }];
      expectProblem(response, { status: 400, code: 'invalid-idempotency-key', errors });
    },
  );

  test('returns 400 invalid-idempotency-key when the header is sent twice', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: { ...editor.headers, 'idempotency-key': ['a', 'b'] },
      payload: { name: 'x' },
    });
    expectProblem(response, { status: 400, code: 'invalid-idempotency-key' });
  });
});
