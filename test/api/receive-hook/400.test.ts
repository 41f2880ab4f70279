import { mintToken } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await openTestApp();
  ({ token } = await service.issueHookToken());
});
afterAll(() => service.close());

const good = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const send = (payload: unknown, to = token, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${to}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

describe('a token that takes no hooks', () => {
  test.each([
    ['unknown', () => mintToken('wht')],
    ['malformed', () => 'x'],
    ['of a stream', () => mintToken('wst')],
    ['with a wrong checksum', () => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
    ['of 5 000 characters', () => 'a'.repeat(5_000)],
    ['broken by %', () => '%zz'],
    ['with a slash', () => `${token}%2f`],
  ])('%s', async (_, tokenOf) => {
    const given = tokenOf();
    const response = await send(good, given);
    expectProblem(response, { status: 400, code: 'invalid-hook-token' });
    if (given.length > 5) {
      expect(response.body).not.toContain(given);
      expect(service.logLines.join('')).not.toContain(given);
    }
  });

  test('before its body is looked at', async () => {
    expectProblem(await send('{broken', mintToken('wht')), { status: 400, code: 'invalid-hook-token' });
    const typed = await send('x', mintToken('wht'), { 'content-type': 'text/plain' });
    expectProblem(typed, { status: 400, code: 'invalid-hook-token' });
  });

  test('all are answered alike', async () => {
    const bodies = await Promise.all([send(good, mintToken('wht')), send(good, 'x')]);
    const [first, second] = bodies.map((each) => {
      const { instance: _, requestId: __, ...rest } = each.json();
      return rest;
    });
    expect(first).toEqual(second);
  });
});

describe('a body that breaks a rule', () => {
  test.each<[string, unknown, string, string]>([
    ['no kind', { occurredAt: good.occurredAt }, '#/kind', 'required'],
    ['another kind', { ...good, kind: 'deleted' }, '#/kind', 'enum'],
    ['no time', { kind: 'updated' }, '#/occurredAt', 'required'],
    ['a time without seconds', { ...good, occurredAt: '2026-03-01T10:00Z' }, '#/occurredAt', 'format'],
    ['a time of another zone', { ...good, occurredAt: '2026-03-01T10:00:00+01:00' }, '#/occurredAt', 'format'],
    ['-00:00', { ...good, occurredAt: '2026-03-01T10:00:00-00:00' }, '#/occurredAt', 'format'],
    ['30 February', { ...good, occurredAt: '2026-02-30T10:00:00Z' }, '#/occurredAt', 'format'],
    ['a number for a time', { ...good, occurredAt: 1 }, '#/occurredAt', 'type'],
    ['a bad widget id', { ...good, widgetId: 'x' }, '#/widgetId', 'format'],
    ['an array for a payload', { ...good, payload: [] }, '#/payload', 'type'],
    ['a text for a payload', { ...good, payload: 'x' }, '#/payload', 'type'],
    ['no object', [], '#', 'type'],
  ])('%s', async (_, body, pointer, code) => {
    expectProblem(await send(body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('an empty body', async () => {
    expectProblem(await send(''), {
      status: 400,
      code: 'invalid-request',
      errors: [{ pointer: '#', code: 'required' }],
    });
  });

  test.each([
    ['broken', '{', 'invalid-json'],
    ['a deep payload', `{"payload":${'['.repeat(32)}${']'.repeat(32)}}`, 'invalid-json'],
    ['too large', `{"payload":"${'x'.repeat(65_536)}"}`, 'payload-too-large'],
  ] as const)('%s', async (_, body, code) => {
    expectProblem(await send(body), { status: 400, code });
  });

  test('another media type', async () => {
    const response = await send(good, token, { 'content-type': 'application/cloudevents+json' });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('a malformed idempotency key', async () => {
    const response = await send(good, token, { 'idempotency-key': 'two words' });
    expectProblem(response, { status: 400, code: 'invalid-idempotency-key' });
  });
});
