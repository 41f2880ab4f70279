import { mintSigningSecret, sealSecret } from '@widget-service/shared/domain/sealed-secret.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const secret = mintSigningSecret();
const token = mintToken('wht');
const signer = new Webhook(secret);

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
  await service.backend.integrations.insert({
    id: createUuidV7(),
    name: 'a sender that signs',
    token: { digest: sha256Hex(token), sealedSecret: sealSecret(secret, token) },
    previousToken: null,
    deduplicateByContent: true,
    rate: null,
    expiresAt: null,
    createdAt: new Date(),
    lastUsedAt: null,
  });
});
afterAll(() => service.close());

const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { größe: 1.0 } });

/** What a sender that uses the package sends. */
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

describe('202: a hook signed by the standardwebhooks package', () => {
  test('is accepted, and its id makes it the same event when it comes again', async () => {
    const headers = sign(body, { id: 'msg_once' });
    const first = await post(body, headers);
    const again = await post(body, sign(body, { id: 'msg_once' }));
    expect([first.statusCode, again.statusCode]).toEqual([202, 202]);
    expect(again.headers['webhook-event-id']).toBe(first.headers['webhook-event-id']);
  });

  test('is accepted with the signature of another secret beside it', async () => {
    const headers = sign(body);
    const foreign = sign(body, { by: new Webhook(mintSigningSecret()), id: headers['webhook-id'] });
    const both = `${foreign['webhook-signature']} ${headers['webhook-signature']}`;
    expect((await post(body, { ...headers, 'webhook-signature': both })).statusCode).toBe(202);
  });
});

describe('400: invalid-hook-signature, alike for whatever is wrong', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  test.each<[string, () => [string | Buffer, Record<string, string>]]>([
    ['no headers', () => [body, {}]],
    ['a changed byte', () => [body.replace('1.0', '1.1').replace('"größe":1', '"größe":2'), sign(body)]],
    ['a changed byte that changes no value', () => [`${body} `, sign(body)]],
    ['an old timestamp', () => [body, sign(body, { at: minutesAgo(6) })]],
    ['a timestamp of the future', () => [body, sign(body, { at: minutesAgo(-6) })]],
    ['a wrong secret', () => [body, sign(body, { by: new Webhook(mintSigningSecret()) })]],
    ['a body that is no JSON, signed by nobody', () => ['{broken', {}]],
    ['an empty body, signed by nobody', () => ['', {}]],
    ['bytes that are no UTF-8, signed by nobody', () => [Buffer.from([0xff, 0xfe]), {}]],
  ])('%s', async (_, make) => {
    const response = await post(...make());
    expectProblem(response, { status: 400, code: 'invalid-hook-signature' });
    const { detail, title, type } = response.json();
    expect([title, detail, type]).toEqual([
      'Invalid hook signature',
      'The signature of this hook is missing or not valid.',
      '/problems/invalid-hook-signature',
    ]);
  });

  test('a request without any body', async () => {
    const response = await service.inject({ method: 'POST', url: `/api/v1/events/hooks/${token}` });
    expectProblem(response, { status: 400, code: 'invalid-hook-signature' });
  });
});

test('400: what is signed is read only then, and refused for what it holds', async () => {
  const broken = await post('{broken', sign('{broken'));
  expectProblem(broken, { status: 400, code: 'invalid-json' });
  const empty = await post('', sign(''));
  expectProblem(empty, { status: 400, code: 'invalid-request' });
});

test('the signing secret is nowhere in what was logged', () => {
  expect(service.logLines.join('')).not.toContain(secret);
  expect(service.logLines.join('')).not.toContain(token);
});
