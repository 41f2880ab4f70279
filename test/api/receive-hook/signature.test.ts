import { mintSigningSecret, sealSecret } from '@widget-service/shared/domain/sealed-secret.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

const secret = mintSigningSecret();
const token = mintToken('wht');
const signer = new Webhook(secret);

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
  await service.backend.integrations.insert({
    id: createUuidV7(),
    name: 'signing sender',
    token: { digest: sha256Hex(token), sealedSecret: sealSecret(secret, token) },
    previousToken: null,
    deduplicateByContent: true,
    rate: null,
    expiresAt: null,
    tokenIssuedAt: new Date(),
    createdAt: new Date(),
    createdBy: null,
    lastUsedAt: null,
  });
});
afterAll(() => service.close());

const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { größe: 1.0 } });

/** The headers of a hook signed by the standardwebhooks package. */
function sign(text: string, { id = `msg_${createUuidV7()}`, at = new Date(), by = signer } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': by.sign(id, at, text),
  };
}

const post = (payload: string | Buffer, headers: Record<string, string>) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${token}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

describe('POST /api/v1/events/hooks/{token}: a valid signature', () => {
  test('returns 202, and the same event id when the hook is repeated with the same webhook-id', async () => {
    const headers = sign(body, { id: 'msg_once' });
    const first = await post(body, headers);
    const repeated = await post(body, sign(body, { id: 'msg_once' }));
    expect([first.statusCode, repeated.statusCode]).toEqual([202, 202]);
    expect(repeated.headers['webhook-event-id']).toBe(first.headers['webhook-event-id']);
  });

  test('returns 202 when only one of several signatures is valid', async () => {
    const headers = sign(body);
    const foreign = sign(body, { by: new Webhook(mintSigningSecret()), id: headers['webhook-id'] });
    const both = `${foreign['webhook-signature']} ${headers['webhook-signature']}`;
    expect((await post(body, { ...headers, 'webhook-signature': both })).statusCode).toBe(202);
  });
});

describe('POST /api/v1/events/hooks/{token}: an invalid signature', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  test.each<[string, () => [string | Buffer, Record<string, string>]]>([
    ['a hook without signature headers', () => [body, {}]],
    ['a body with a changed value', () => [body.replace('1.0', '1.1').replace('"größe":1', '"größe":2'), sign(body)]],
    ['a body with an added space', () => [`${body} `, sign(body)]],
    ['a timestamp 6 minutes in the past', () => [body, sign(body, { at: minutesAgo(6) })]],
    ['a timestamp 6 minutes in the future', () => [body, sign(body, { at: minutesAgo(-6) })]],
    ['a signature with another secret', () => [body, sign(body, { by: new Webhook(mintSigningSecret()) })]],
    ['an unsigned body that is not JSON', () => ['{broken', {}]],
    ['an unsigned empty body', () => ['', {}]],
    ['unsigned bytes that are not UTF-8', () => [Buffer.from([0xff, 0xfe]), {}]],
  ])('returns the same 400 invalid-hook-signature for %s', async (_, makeHook) => {
    const response = await post(...makeHook());
    expectProblem(response, { status: 400, code: 'invalid-hook-signature' });
    const { detail, title, type } = response.json();
    expect([title, detail, type]).toEqual([
      'Invalid hook signature',
      'The signature of this hook is missing or not valid.',
      '/problems/invalid-hook-signature',
    ]);
  });

  test('returns 400 invalid-hook-signature for a request without a body', async () => {
    const response = await service.inject({ method: 'POST', url: `/api/v1/events/hooks/${token}` });
    expectProblem(response, { status: 400, code: 'invalid-hook-signature' });
  });
});

describe('POST /api/v1/events/hooks/{token}: a signed hook', () => {
  test('returns 400 for a correctly signed body that is invalid', async () => {
    const invalidJson = await post('{broken', sign('{broken'));
    expectProblem(invalidJson, { status: 400, code: 'invalid-json' });
    const empty = await post('', sign(''));
    expectProblem(empty, { status: 400, code: 'invalid-request' });
  });

  test('logs neither the signing secret nor the token', () => {
    expect(service.logLines.join('')).not.toContain(secret);
    expect(service.logLines.join('')).not.toContain(token);
  });
});
