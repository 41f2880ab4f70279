import { mintToken } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

let service: TestApp;
let token: string;
beforeAll(async () => {
  service = await openTestApp();
  ({ token } = await service.issueHookToken());
});
afterAll(() => service.close());

const validHook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const send = (payload: unknown, sentToken = token, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${sentToken}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

describe('POST /api/v1/events/hooks/{token}: invalid token', () => {
  test.each([
    ['is unknown', () => mintToken('wht')],
    ['is malformed', () => 'x'],
    ['is a stream token', () => mintToken('wst')],
    ['has a wrong checksum', () => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
    ['has 5 000 characters', () => 'a'.repeat(5_000)],
    ['has an invalid percent-encoding', () => '%zz'],
    ['is followed by an encoded slash', () => `${token}%2f`],
  ])('returns 400 invalid-hook-token, and neither answers nor logs the token, when it %s', async (_, makeToken) => {
    const invalidToken = makeToken();
    const response = await send(validHook, invalidToken);
    expectProblem(response, { status: 400, code: 'invalid-hook-token' });
    // The answer or the log may contain a short text by chance.
    if (invalidToken.length > 5) {
      expect(response.body).not.toContain(invalidToken);
      expect(service.logLines.join('')).not.toContain(invalidToken);
    }
  });

  test('returns 400 invalid-hook-token even if the body or the media type is invalid, too', async () => {
    expectProblem(await send('{broken', mintToken('wht')), { status: 400, code: 'invalid-hook-token' });
    const withTextBody = await send('x', mintToken('wht'), { 'content-type': 'text/plain' });
    expectProblem(withTextBody, { status: 400, code: 'invalid-hook-token' });
  });

  test('returns equal problems for an unknown and a malformed token', async () => {
    const responses = await Promise.all([send(validHook, mintToken('wht')), send(validHook, 'x')]);
    const [first, second] = responses.map((response) => {
      const { instance: _, requestId: __, ...rest } = response.json();
      return rest;
    });
    expect(first).toEqual(second);
  });
});

describe('POST /api/v1/events/hooks/{token}: invalid body', () => {
  test.each<[string, unknown, string, string]>([
    ['a missing kind', { occurredAt: validHook.occurredAt }, '#/kind', 'required'],
    ['an unknown kind', { ...validHook, kind: 'deleted' }, '#/kind', 'enum'],
    ['a missing occurredAt', { kind: 'updated' }, '#/occurredAt', 'required'],
    ['an occurredAt without seconds', { ...validHook, occurredAt: '2026-03-01T10:00Z' }, '#/occurredAt', 'format'],
    [
      'an occurredAt with the offset +01:00',
      { ...validHook, occurredAt: '2026-03-01T10:00:00+01:00' },
      '#/occurredAt',
      'format',
    ],
    [
      'an occurredAt with the offset -00:00',
      { ...validHook, occurredAt: '2026-03-01T10:00:00-00:00' },
      '#/occurredAt',
      'format',
    ],
    ['an occurredAt on 30 February', { ...validHook, occurredAt: '2026-02-30T10:00:00Z' }, '#/occurredAt', 'format'],
    ['a number as occurredAt', { ...validHook, occurredAt: 1 }, '#/occurredAt', 'type'],
    ['a malformed widgetId', { ...validHook, widgetId: 'x' }, '#/widgetId', 'format'],
    ['an array as payload', { ...validHook, payload: [] }, '#/payload', 'type'],
    ['a string as payload', { ...validHook, payload: 'x' }, '#/payload', 'type'],
    ['an array as the whole body', [], '#', 'type'],
  ])('returns 400 invalid-request for %s', async (_, body, pointer, code) => {
    expectProblem(await send(body), { status: 400, code: 'invalid-request', errors: [{ pointer, code }] });
  });

  test('returns 400 invalid-request for an empty body', async () => {
    expectProblem(await send(''), {
      status: 400,
      code: 'invalid-request',
      errors: [{ pointer: '#', code: 'required' }],
    });
  });

  test.each([
    ['invalid-json', 'incomplete JSON', '{'],
    ['invalid-json', 'a body of 33 nested levels', `{"payload":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['payload-too-large', 'a body of more than 64 KiB', `{"payload":"${'x'.repeat(65_536)}"}`],
  ] as const)('returns 400 %s for %s', async (code, _, body) => {
    expectProblem(await send(body), { status: 400, code });
  });

  test('returns 400 unsupported-media-type for application/cloudevents+json', async () => {
    const response = await send(validHook, token, { 'content-type': 'application/cloudevents+json' });
    expectProblem(response, { status: 400, code: 'unsupported-media-type' });
  });

  test('returns 400 invalid-idempotency-key for a malformed Idempotency-Key', async () => {
    const response = await send(validHook, token, { 'idempotency-key': 'two words' });
    expectProblem(response, { status: 400, code: 'invalid-idempotency-key' });
  });
});
