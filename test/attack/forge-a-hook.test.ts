import { createHash, createHmac } from 'node:crypto';
import { mintSigningSecret, sealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { aGrant, plainIntegration } from '../drivers/app/builders.ts';
import { expectProblem } from '../drivers/app/expect-problem.ts';
import { openSharedApp } from '../drivers/app/open-shared.ts';
import { createManualClock } from '../drivers/tools/manual-clock.ts';

/**
 * The attacker knows the URL of the hook and has recorded signed hooks, but not the secret. Hooks that the library
 * `standardwebhooks` signs are in `test/api/integrations/signature.test.ts`.
 */
const secret = mintSigningSecret();
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const token = mintToken('wht');
const clock = createManualClock();
const service = await openSharedApp({ clock });
await service.backend.integrations.insert({
  ...aGrant({ token: { digest: sha256Hex(token), sealedSecret: sealSecrets([secret], token) } }),
  ...plainIntegration,
});

const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { amount: 1 } });
const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
const hmac = (content: string | Buffer, withKey: string | Buffer = key, algorithm = 'sha256') =>
  createHmac(algorithm, withKey).update(content).digest('base64');

interface Hook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string | Buffer;
}

/** What a sender with the secret sends. */
function sign(text: string, { id = `msg_${createUuidV7()}`, timestamp = String(nowSeconds()) } = {}): Hook {
  return { id, timestamp, signature: `v1,${hmac(`${id}.${timestamp}.${text}`)}`, body: text };
}

function send(hook: Hook, headers: Record<string, string | string[]> = {}) {
  return service.post(`/api/v1/events/hooks/${token}`, hook.body, {
    'content-type': 'application/json',
    'webhook-id': hook.id,
    'webhook-timestamp': hook.timestamp,
    'webhook-signature': hook.signature,
    ...headers,
  });
}

async function expectForgery(hook: Hook, headers: Record<string, string | string[]> = {}): Promise<void> {
  expectProblem(await send(hook, headers), { status: 400, code: 'invalid-hook-signature' });
}

describe('a hook with a valid signature', () => {
  test('is one event, however often it is sent, also if its sender signs it anew', async () => {
    const first = await send(sign(body, { id: 'msg_once' }));
    clock.advance(1_000);
    const repeated = await send(sign(body, { id: 'msg_once' }));
    expect([first.statusCode, repeated.statusCode]).toEqual([202, 202]);
    expect(repeated.headers['webhook-event-id']).toBe(first.headers['webhook-event-id']);
  });

  test('gets 400 if its body is invalid', async () => {
    expectProblem(await send(sign('{broken')), { status: 400, code: 'invalid-json' });
    expectProblem(await send(sign('')), { status: 400, code: 'invalid-request' });
  });
});

describe('a hook without signature headers', () => {
  test.each([
    ['a valid body', body],
    ['a body that is not JSON', '{broken'],
    ['an empty body', ''],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe])],
    ['no body', undefined],
  ])('gets the same answer with %s', async (_, payload) => {
    const headers = { 'content-type': 'application/json' };
    const url = `/api/v1/events/hooks/${token}`;
    const sent = payload === undefined ? {} : { headers, payload };
    const response = await service.inject({ method: 'POST', url, ...sent });
    expectProblem(response, { status: 400, code: 'invalid-hook-signature' });
    const { detail, title } = response.json();
    expect([title, detail]).toEqual(['Invalid hook signature', 'The signature of this hook is missing or not valid.']);
  });
});

describe('a recorded hook', () => {
  test('is accepted for 300 s, as one event however often it is sent, and never again', async () => {
    const recorded = sign(body);
    const first = await send(recorded);
    expect(first.statusCode).toBe(202);
    for (const seconds of [1, 298]) {
      clock.advance(seconds * 1_000);
      const replayed = await send(recorded);
      expect(replayed.statusCode).toBe(202);
      expect(replayed.headers['webhook-event-id']).toBe(first.headers['webhook-event-id']);
    }
    clock.advance(2_000);
    for (let time = 0; time < 3; time += 1) {
      await expectForgery(recorded);
      clock.advance(86_400_000);
    }
  });

  test('cannot get another id, time, body or place between the parts', async () => {
    const recorded = sign(body, { id: 'msg.1764000000' });
    await expectForgery({ ...recorded, id: 'msg_other' });
    await expectForgery({ ...recorded, timestamp: String(Number(recorded.timestamp) + 1) });
    await expectForgery({ ...recorded, body: body.replace('1}', '2}') });
    // The parts are joined by dots, which an id may contain.
    await expectForgery({ ...recorded, id: 'msg', timestamp: '1764000000', body: `${recorded.timestamp}.${body}` });
    await expectForgery({ ...recorded, id: `${recorded.id}.${recorded.timestamp}`, timestamp: '' });
    await expectForgery({ ...recorded, id: '', timestamp: recorded.timestamp });
    expect((await send(recorded)).statusCode).toBe(202);
  });

  test('is bound to the bytes, not to what they mean', async () => {
    const recorded = sign(body);
    for (const same of [
      ` ${body}`,
      `${body}\n`,
      `\ufeff${body}`,
      JSON.stringify(JSON.parse(body), null, 1),
      body.replace('amount', 'amoun\\u0074'),
      body.replace('{"amount":1}', '{"amount":1.0}'),
      body.replace('{"kind"', '{"kind":"retired","kind"'),
      Buffer.from(body, 'utf16le'),
    ]) {
      await expectForgery({ ...recorded, body: same });
    }
  });
});

describe('a time that a signature covers', () => {
  test.each(['-301', '+301', '+86400', '-86400'])('is too far away: %s s', async (offset) => {
    await expectForgery(sign(body, { timestamp: String(nowSeconds() + Number(offset)) }));
  });

  test.each([
    ['in milliseconds', (now: number) => String(now * 1_000)],
    ['with a fraction', (now: number) => `${now}.0`],
    ['with an exponent', (now: number) => `${now / 10}e1`],
    ['with a sign', (now: number) => `+${now}`],
    ['in hexadecimal', (now: number) => `0x${now.toString(16)}`],
    ['in RFC 3339', (now: number) => new Date(now * 1_000).toISOString()],
    ['with zeros', (now: number) => `000${now}`],
    ['empty', () => ''],
    ['not a number', () => 'NaN'],
    ['infinite', () => 'Infinity'],
    [
      'in full-width digits',
      (now: number) => String(now).replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    ],
  ])('is not in seconds: %s', async (_, format) => {
    const timestamp = format(nowSeconds());
    await expectForgery(sign(body, { timestamp: timestamp.replaceAll(/[^\0-\xff]/g, '?') }));
  });

  test('does not count twice', async () => {
    const hook = sign(body);
    await expectForgery(hook, { 'webhook-timestamp': [hook.timestamp, hook.timestamp] });
  });
});

describe('a signature', () => {
  const makeSignatures = (content: string): Readonly<Record<string, string>> => ({
    'of another version': `v2,${hmac(content)}`,
    'of the public-key version': `v1a,${hmac(content)}`,
    'without a version': hmac(content),
    'in upper case': `V1,${hmac(content)}`,
    'without a text': 'v1,',
    none: 'none',
    'alg none': 'v1,none',
    'with an equals sign': `v1=${hmac(content)}`,
    'in hexadecimal': `v1,${Buffer.from(hmac(content), 'base64').toString('hex')}`,
    'in base64url': `v1,${Buffer.from(hmac(content), 'base64').toString('base64url')}`,
    'cut short': `v1,${hmac(content).slice(0, 22)}`,
    'with more behind it': `v1,${hmac(content)}A`,
    'in SHA-1': `v1,${hmac(content, key, 'sha1')}`,
    'in SHA-512': `v1,${hmac(content, key, 'sha512')}`,
    'a hash without a key': `v1,${createHash('sha256').update(content).digest('base64')}`,
    'with an empty key': `v1,${hmac(content, '')}`,
    'with the token as key': `v1,${hmac(content, token)}`,
    'with the stored digest as key': `v1,${hmac(content, sha256Hex(token))}`,
    'with the text of the secret as key': `v1,${hmac(content, secret)}`,
    'over the body alone': `v1,${hmac(body)}`,
    'joined by commas': `v1,${hmac(`${content}x`)},v1,${hmac(content)}`,
    'joined by tabs': `v1,${hmac(`${content}x`)}\tv1,${hmac(content)}`,
    'behind ten others': `${'v1,x '.repeat(10)}v1,${hmac(content)}`,
    '15 000 of them': 'v1,x '.repeat(3_000),
  });

  test.each(Object.keys(makeSignatures('')))('is refused: %s', async (name) => {
    const hook = sign(body);
    const content = `${hook.id}.${hook.timestamp}.${body}`;
    await expectForgery({ ...hook, signature: makeSignatures(content)[name] ?? '' });
  });

  test('in another header, or for another token, is no signature', async () => {
    const hook = sign(body);
    await expectForgery(
      { ...hook, signature: '' },
      { 'x-hub-signature-256': hook.signature, 'svix-signature': hook.signature },
    );
    const other = await service.issueHookToken();
    const response = await service.post(`/api/v1/events/hooks/${other.token}x`, body, {
      'content-type': 'application/json',
      'webhook-id': hook.id,
      'webhook-timestamp': hook.timestamp,
      'webhook-signature': hook.signature,
    });
    expectProblem(response, { status: 400, code: 'invalid-hook-token' });
  });

  test('among nine wrong ones is accepted, so that a sender can rotate its secret', async () => {
    const hook = sign(body);
    // The first one is of the right length: that of the earlier secret.
    const wrong = `v1,${hmac('another text')} ${'v1,x '.repeat(8)}`;
    expect((await send({ ...hook, signature: `${wrong}${hook.signature}` })).statusCode).toBe(202);
  });
});

test('no secret is logged', () => {
  const log = service.logLines.join('');
  for (const text of [secret, secret.slice('whsec_'.length), token]) expect(log).not.toContain(text);
});
