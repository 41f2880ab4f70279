import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

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

describe('a body that breaks a rule', () => {
  test.each<[string, unknown, string, string]>([
    ['no name', {}, '#/name', 'required'],
    ['name null', { name: null }, '#/name', 'type'],
    ['name of another type', { name: 1 }, '#/name', 'type'],
    ['empty name', { name: '  ' }, '#/name', 'too-short'],
    ['long name', { name: '💡'.repeat(201) }, '#/name', 'too-long'],
    ['control character', { name: 'a\u0007b' }, '#/name', 'format'],
    ['unknown state', { name: 'x', state: 'gone' }, '#/state', 'enum'],
    ['state of another type', { name: 'x', state: 1 }, '#/state', 'type'],
    ['labels no array', { name: 'x', labels: 'a' }, '#/labels', 'type'],
    ['label of another type', { name: 'x', labels: ['a', 1] }, '#/labels/1', 'type'],
    ['empty label', { name: 'x', labels: [' '] }, '#/labels/0', 'too-short'],
    ['long label', { name: 'x', labels: ['a'.repeat(65)] }, '#/labels/0', 'too-long'],
    ['33 labels', { name: 'x', labels: [...Array(33).keys()].map(String) }, '#/labels', 'too-long'],
    ['owner no object', { name: 'x', owner: [] }, '#/owner', 'type'],
    ['owner without e-mail', { name: 'x', owner: { userId: owner.userId } }, '#/owner/email', 'required'],
    ['owner with a bad id', { name: 'x', owner: { ...owner, userId: 'x' } }, '#/owner/userId', 'format'],
    ['owner with a bad e-mail', { name: 'x', owner: { ...owner, email: 'ann' } }, '#/owner/email', 'format'],
    [
      'e-mail of 255',
      { name: 'x', owner: { ...owner, email: `${'a'.repeat(243)}@example.com` } },
      '#/owner/email',
      'too-long',
    ],
    ['notify of another type', { name: 'x', owner: { ...owner, notify: 'yes' } }, '#/owner/notify', 'type'],
    ['unknown field', { name: 'x', 'la/be~l': [] }, '#/la~1be~0l', 'unknown-field'],
    ['unknown field of the owner', { name: 'x', owner: { ...owner, role: 1 } }, '#/owner/role', 'unknown-field'],
    ['no object', [], '#', 'type'],
    ['null', null, '#', 'required'],
  ])('%s', async (_, body, pointer, code) => {
    const response = await create(JSON.stringify(body));
    expectProblem(response, { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('every mistake is named, at most 20', async () => {
    const response = await create({ state: 1, owner: {}, extra: 1 });
    const places = response.json().errors.map((each: { pointer: string }) => each.pointer);
    expect(places.sort()).toEqual(['#/extra', '#/name', '#/owner/email', '#/owner/userId', '#/state']);
    const many = await create(Object.fromEntries([...Array(50).keys()].map((n) => [`f${n}`, n])));
    expect(many.json().errors).toHaveLength(20);
  });

  test('no value that was sent is told back', async () => {
    const response = await create({
      name: 'x',
      state: 'secret-value',
      owner: { userId: 'secret-value', email: 'secret-value' },
    });
    expect(response.statusCode).toBe(400);
    expect(response.body).not.toContain('secret-value');
  });

  test('no body', async () => {
    const errors = [{ pointer: '#', code: 'required' }];
    expectProblem(await create(undefined), { status: 400, code: 'invalid-request', errors });
    const { 'content-type': _, ...headers } = { ...editor.headers, 'content-type': '' };
    const bare = await service.inject({ method: 'POST', url: '/api/v1/widgets', headers });
    expectProblem(bare, { status: 400, code: 'invalid-request', errors });
  });
});

describe('a body that is no JSON of ours', () => {
  const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  test.each<[string, string | Buffer]>([
    ['broken', '{"name":'],
    ['two values', '{} {}'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a lone surrogate', '{"name":"\\ud800"}'],
    ['a lone surrogate in a name', '{"na\\udc00me":"x"}'],
    ['33 levels', nested(33)],
    ['20 000 levels', nested(20_000)],
    ['__proto__', '{"name":"x","__proto__":{"state":"retired"}}'],
    ['__proto__, escaped', '{"name":"x","\\u005f_proto__":{"state":"retired"}}'],
    ['constructor.prototype', '{"name":"x","constructor":{"prototype":{"a":1}}}'],
  ])('%s', async (_, body) => {
    expectProblem(await create(body), { status: 400, code: 'invalid-json' });
  });

  test('32 levels are read, and then judged', async () => {
    expectProblem(await create(nested(32)), { status: 400, code: 'invalid-request' });
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/problem+json', {}],
    ['application/json; charset=latin1', {}],
    ['nonsense', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('%s %o', async (type, headers) => {
    const response = await create('{"name":"x"}', { 'content-type': type, ...headers });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('without a content type', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: editor.headers,
      payload: Buffer.from('{"name":"x"}'),
    });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('64 KiB are taken, one byte more is not', async () => {
    const sized = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`;
    expect((await create(sized(65_536))).statusCode).toBe(201);
    expectProblem(await create(sized(65_537)), { status: 400, code: 'payload-too-large' });
  });
});

describe('an idempotency key', () => {
  test.each([[''], ['two words'], ['""'], ['a'.repeat(256)], ['käse']])('%j is refused', async (key) => {
    const response = await create({ name: 'x' }, { 'idempotency-key': key });
    const errors = [{ header: 'Idempotency-Key', code: 'format' }];
    expectProblem(response, { status: 400, code: 'invalid-idempotency-key', errors });
  });

  test('sent twice is refused', async () => {
    const response = await service.inject({
      method: 'POST',
      url: '/api/v1/widgets',
      headers: { ...editor.headers, 'idempotency-key': ['a', 'b'] },
      payload: { name: 'x' },
    });
    expectProblem(response, { status: 400, code: 'invalid-idempotency-key' });
  });
});
